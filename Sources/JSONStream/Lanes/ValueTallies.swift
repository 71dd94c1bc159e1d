package import CFeedScan

/// Counts of the values of documents, a tally for each path by its number.
///
/// A call counts the values of many records. Values that need more than a count are noted.
package struct ValueTallies {
  /// Why a call has ended.
  package enum Stop {
    /// All records are counted.
    case end
    /// The next value is of a path without a tally. Its number is at least that of the next tally.
    case newPath(Int)
    /// The space for notes is full, or too small for the values that are left.
    case notes
    /// The record has values that are not on the tape: see ``count(_:before:_:first:)``.
    case cut(record: Int)
  }

  private static let maximumNotes = 1024
  /// The fields of this many records fit in the cache.
  private static let maximumRecords = 256
  private static let maximumFields = 16 << 10

  /// The number of paths that are counted apart.
  private let limit: Int
  private var tallies: [feedscan_tally] = []
  /// The numbers of each path.
  private var spreads: [feedscan_spread] = []
  private var notes = [feedscan_note](repeating: feedscan_note(), count: maximumNotes)
  /// The number of values that the last call has noted.
  package private(set) var noteCount = 0
  private var fields: [UInt32]
  private var state = feedscan_tally_state()

  /// The elements of ``valuesOfFields`` for each record.
  package let fieldStride: Int
  /// The maximum number of records between ``begin(at:number:keepsFirst:)`` and the end.
  package let recordsAtOnce: Int

  /// - Parameter fieldCount: the number of fields whose values are found.
  package init(limit: Int, fieldCount: Int) {
    self.limit = limit
    fieldStride = fieldCount + 1
    recordsAtOnce = max(1, min(Self.maximumRecords, Self.maximumFields / fieldStride))
    fields = Array(repeating: 0, count: fieldStride * recordsAtOnce)
    state.conforms = true
  }

  /// The number of paths with a tally.
  package var count: Int { tallies.count }
  /// The number of values of paths beyond the limit.
  package var lostCount: Int { Int(clamping: state.lost) }
  /// Whether all records have conformed to the rules.
  package var conforms: Bool { state.conforms }

  package subscript(path: Int) -> feedscan_tally { tallies[path] }

  /// How the numbers of a path are spread.
  package func numbers(of path: Int) -> feedscan_spread { spreads[path] }

  /// Where the values of fields are, for each record since ``begin(at:number:keepsFirst:)``.
  ///
  /// The element at `fieldStride * record + field + 1` is the index plus 1 of the field's value in the
  /// list of the record's values, or 0.
  package var valuesOfFields: Span<UInt32> {
    @_lifetime(borrow self) get { fields.span }
  }

  /// Adds a tally for the next path.
  ///
  /// - Parameter field: the field whose path it is; nil if there is none.
  package mutating func append(_ tally: feedscan_tally, field: Int?) {
    var tally = tally
    if let field, field + 1 < fieldStride { tally.field = UInt16(exactly: field + 1) ?? 0 }
    tallies.append(tally)
    spreads.append(feedscan_spread_make())
  }

  /// Compares the records with the rules of tallies, and requires each record to have the keys with
  /// these bits.
  package mutating func require(_ keys: UInt64) {
    state.required = keys
    state.has_rules = true
  }

  /// Begins to count records of a tape.
  ///
  /// - Parameters:
  ///   - first: the index of the first of them.
  ///   - number: the number of the tape's record 0 among all records.
  ///   - keepsFirst: whether the first value of a repeated key counts, and not the last.
  package mutating func begin(at first: Int, number: Int, keepsFirst: Bool) {
    state.record = first
    state.first_number = UInt64(number)
    state.has_begun = false
    state.keeps_first = keepsFirst
  }

  /// A value that the last call has noted: the index of its element on the tape, and the reasons.
  @inline(__always)
  package func note(_ index: Int) -> feedscan_note { notes[index] }

  /// Adds a number to those of a path.
  package mutating func take(_ number: Double, at path: Int) {
    feedscan_spread_take(&spreads[path], number)
  }

  /// Sets the reasons to note strings of a path.
  package mutating func setStrings(of path: Int, reasons: UInt8, isSampled: Bool) {
    tallies[path].string_reasons = reasons
    tallies[path].is_sampled = isSampled
  }

  /// Ends the comparison of values with rules.
  package mutating func removeRules() {
    for path in tallies.indices {
      tallies[path].key_bit = 0
      (tallies[path].permitted, tallies[path].restricted) = (.max, 0)
    }
    state.required = 0
    state.has_rules = false
  }

  /// Counts records from the next one up to `range.upperBound`, or until the caller must act: see
  /// ``Stop``.
  ///
  /// - Parameter range: records of the tape, from the one at which counting began.
  package mutating func count(_ tape: borrowing RecordTape, _ range: Range<Int>) -> Stop {
    let storage = tape.storage
    precondition(
      range.lowerBound >= 0 && range.upperBound <= storage.pointee.recordCount
        && range.count <= recordsAtOnce && Int(state.record) >= range.lowerBound,
      "records of another tape")
    var records = feedscan_tally_tape(
      rows: storage.pointee.rows, slots: storage.pointee.slotCount,
      elements: storage.pointee.elements, chunk: storage.pointee.chunk)
    // The list of each row is elements of the tape, which refer to its chunk. There are fields for each
    // record of the range, and each tally's field is one of these.
    return withTables(0) { tables, output, state in
      feedscan_tally_records(
        &tables, &records, range.lowerBound, range.upperBound, &state, &output)
    }
  }

  /// Begins to count the values that are not on the tape, of the record at which ``count(_:_:)``
  /// has stopped.
  package mutating func beginPart() { state.value = 0 }

  /// Counts the values of a part, from the next one on.
  ///
  /// - Parameters:
  ///   - part: values that refer to the chunk of the tape.
  ///   - before: the number of values of the record before the part.
  ///   - first: the first record of the range that is being counted.
  package mutating func count(
    _ part: UnsafeBufferPointer<TapeEntry>, before: Int, _ tape: borrowing RecordTape, first: Int
  ) -> Stop {
    guard let chunk = tape.storage.pointee.chunk else { return .end }
    return withTables(fieldStride * (Int(state.record) - first)) { tables, output, state in
      feedscan_tally_part(
        &tables, chunk, part.baseAddress, part.count, before, &state, &output)
    }
  }

  /// Ends the record whose parts have been counted.
  package mutating func endParts() { feedscan_tally_end(&state) }

  /// - Parameter firstField: the place of the first record's fields.
  @inline(__always)
  private mutating func withTables(
    _ firstField: Int,
    _ count: (
      inout feedscan_tallies, inout feedscan_tally_output, inout feedscan_tally_state
    ) -> feedscan_tally_stop
  ) -> Stop {
    precondition(firstField >= 0 && firstField + fieldStride <= fields.count, "an unknown record")
    let stop = tallies.withUnsafeMutableBufferPointer { tallies in
      spreads.withUnsafeMutableBufferPointer { spreads in
        notes.withUnsafeMutableBufferPointer { notes in
          fields.withUnsafeMutableBufferPointer { fields in
            var tables = feedscan_tallies(
              tallies: tallies.baseAddress, spreads: spreads.baseAddress,
              path_count: tallies.count, path_limit: limit)
            var output = feedscan_tally_output(
              fields: fields.baseAddress.map { $0 + firstField }, field_count: fieldStride,
              notes: notes.baseAddress, note_count: 0, note_capacity: notes.count)
            defer { noteCount = output.note_count }
            return count(&tables, &output, &state)
          }
        }
      }
    }
    switch stop {
    case FEEDSCAN_TALLY_NEW_PATH: return .newPath(Int(state.missing_path))
    case FEEDSCAN_TALLY_NOTES: return .notes
    case FEEDSCAN_TALLY_CUT: return .cut(record: Int(state.record))
    default: return .end
    }
  }
}
