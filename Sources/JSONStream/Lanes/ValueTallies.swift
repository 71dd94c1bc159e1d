package import CFeedScan

/// Counts of the values of documents, a tally for each path by its number.
///
/// A call counts values of one record. Those that need more than a count are noted.
package struct ValueTallies {
  /// The number of values that a call counts at most, each of which may be noted.
  private static let maximumNotes = 1024

  /// The number of paths that are counted apart.
  private let limit: Int
  private var tallies: [feedscan_tally] = []
  /// The numbers of each path.
  private var spreads: [feedscan_spread] = []
  private var notes = [feedscan_note](repeating: feedscan_note(), count: maximumNotes)
  /// The number of values that the last call has noted.
  package private(set) var noteCount = 0
  private var state = feedscan_tally_state()

  package init(limit: Int) { self.limit = limit }

  /// The number of paths with a tally.
  package var count: Int { tallies.count }
  /// The number of values of paths beyond the limit.
  package var lostCount: Int { Int(clamping: state.lost) }
  /// Whether the values of the record so far are permitted by the rules of their paths.
  package var isPermitted: Bool { state.is_permitted }
  /// The bits of the keys of the record so far.
  package var keys: UInt64 { state.keys }

  package subscript(path: Int) -> feedscan_tally { tallies[path] }

  /// How the numbers of a path are spread.
  package func numbers(of path: Int) -> feedscan_spread { spreads[path] }

  /// Adds a tally for the next path.
  package mutating func append(_ tally: feedscan_tally) {
    tallies.append(tally)
    spreads.append(feedscan_spread_make())
  }

  /// Begins a record with its number, from 0.
  package mutating func begin(record: Int) {
    state.record = UInt64(record)
    state.keys = 0
    state.is_permitted = true
  }

  /// A value that the last call has noted, in the order of the values.
  @inline(__always)
  package func note(_ index: Int) -> feedscan_note { notes[index] }

  /// Counts a value of the record that is not counted yet, a number.
  ///
  /// - Parameter number: the number, unless no `Double` is near it.
  package mutating func count(_ type: UInt32, at path: Int, _ number: Double?) {
    feedscan_tally_count(&tallies[path], type, state.record)
    if let number { feedscan_spread_take(&spreads[path], number) }
  }

  /// Sets why the strings of a path are noted.
  package mutating func setStrings(of path: Int, reasons: UInt8, isSampled: Bool) {
    tallies[path].string_reasons = reasons
    tallies[path].is_sampled = isSampled
  }

  /// Compares no more values.
  package mutating func removeRules() {
    for path in tallies.indices {
      tallies[path].key_bit = 0
      (tallies[path].permitted, tallies[path].restricted) = (.max, 0)
    }
  }

  /// Takes a value of the record as one that is not permitted.
  package mutating func refuse() { state.is_permitted = false }

  /// Counts values of a record from one on, up to the first of a path without a tally. Returns the
  /// index of the first that is not counted, or the number of values.
  ///
  /// - Parameter list: the values of the record on its tape.
  package mutating func count(
    _ tape: borrowing RecordTape, _ list: TapeEntry, from first: Int
  ) -> Int {
    noteCount = 0
    let values = tape.elements(of: list)
    guard let chunk = tape.storage.pointee.chunk else { return values.count }
    let (paths, limit) = (tallies.count, limit)
    let end = min(values.count, first + Self.maximumNotes)
    // The values are elements of the tape, which refer to its chunk, and there is space for a note of
    // each.
    return values.withUnsafeBufferPointer { values in
      tallies.withUnsafeMutableBufferPointer { tallies in
        spreads.withUnsafeMutableBufferPointer { spreads in
          notes.withUnsafeMutableBufferPointer { notes in
            feedscan_tally_values(
              tallies.baseAddress, spreads.baseAddress, paths, limit, values.baseAddress, first,
              end, chunk, &state, notes.baseAddress, &noteCount)
          }
        }
      }
    }
  }
}
