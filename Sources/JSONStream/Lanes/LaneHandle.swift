import CFeedScan
import CYajl

/// A YAJL handle of a lane. For an array it parses all of the lane's records as one long array.
///
/// Such a handle is primed with `[`, and records are joined by commas. Lines are separate texts:
/// the reader knows the line feed between them, and the lane checks that each text ends with its
/// line. If other bytes separate the records, each is parsed alone.
struct LaneHandle: ~Copyable {
  private let state: UnsafeMutablePointer<LaneState>
  private let callbacks: CallbackTable
  private let isArray: Bool
  private let isApart: Bool
  private var handle: yajl_handle?
  /// Nil if YAJL reads the chunk as it is.
  private let condensed: CondensedText?
  /// True once a record has been read: the next one needs a comma before it.
  private var isJoined = false

  init(
    _ state: UnsafeMutablePointer<LaneState>, _ callbacks: CallbackTable, isArray: Bool,
    isApart: Bool, condensed: consuming CondensedText?
  ) {
    self.state = state
    self.condensed = condensed
    self.callbacks = callbacks
    self.isArray = isArray
    self.isApart = isApart
    reset()
  }

  deinit {
    if let handle { yajl_free(handle) }
  }

  /// Replaces the handle: YAJL cannot continue after an error.
  mutating func reset() {
    if let handle { yajl_free(handle) }
    handle = LaneCallbacks.makeHandle(callbacks, context: state, isArray: isArray)
    isJoined = false
    state.pointee.begin(handle, isArray: isArray)
    if let handle, isArray { _ = yajl_parse(handle, [0x5B], 1) }
  }

  /// Parses a run of the records of a chunk. Returns false if YAJL or the lane's state rejects one.
  mutating func parse(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>, _ run: Range<Int>
  ) -> Bool {
    guard isApart else {
      return parse(
        text, records[run.lowerBound].lowerBound..<records[run.upperBound - 1].upperBound)
    }
    for record in run {
      guard parse(text, records[record]) else { return false }
    }
    return true
  }

  private mutating func parse(_ text: feedscan_text, _ range: Range<Int>) -> Bool {
    guard let handle else { return false }
    if isArray, isJoined, yajl_parse(handle, [0x2C], 1) != yajl_status_ok { return false }
    isJoined = true
    var start = range.lowerBound
    while start < range.upperBound {
      let part =
        condensed?.next(text, start..<range.upperBound)
        ?? (text: ParsedText(chunk: text.chunk, range), end: range.upperBound)
      state.pointee.resume(handle, with: part.text)
      guard yajl_parse(handle, part.text.bytes, part.text.count) == yajl_status_ok else {
        return false
      }
      start = part.end
    }
    // Only the byte after a number shows that it has ended.
    guard 0x30...0x39 ~= text.chunk[range.upperBound - 1] else { return true }
    let end = range.upperBound..<range.upperBound
    state.pointee.resume(handle, with: ParsedText(chunk: text.chunk, end))
    return yajl_parse(handle, [0x0A], 1) == yajl_status_ok
  }
}
