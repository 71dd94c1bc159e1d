import CYajl

/// A YAJL handle of a lane. For an array it parses all of the lane's records as one long array.
///
/// Such a handle is primed with `[`, and records are joined by commas. Lines are separate texts: the
/// reader knows the line feed between them, and the lane checks that each text ends with its line.
struct LaneHandle: ~Copyable {
  private let state: UnsafeMutablePointer<LaneState>
  private let callbacks: CallbackTable
  private let isArray: Bool
  private var handle: yajl_handle?
  /// True once a record has been read: the next one needs a comma before it.
  private var isJoined = false

  init(
    _ state: UnsafeMutablePointer<LaneState>, _ callbacks: CallbackTable, isArray: Bool
  ) {
    self.state = state
    self.callbacks = callbacks
    self.isArray = isArray
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

  /// Parses the records in `range` of a chunk. Returns false if YAJL or the lane's state rejects one.
  mutating func parse(_ chunk: UnsafePointer<UInt8>, _ range: Range<Int>) -> Bool {
    guard let handle else { return false }
    state.pointee.resume(handle, at: range.lowerBound)
    if isArray, isJoined, yajl_parse(handle, [0x2C], 1) != yajl_status_ok { return false }
    isJoined = true
    return yajl_parse(handle, chunk + range.lowerBound, range.count) == yajl_status_ok
  }
}
