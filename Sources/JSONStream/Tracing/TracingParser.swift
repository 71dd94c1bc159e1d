import CYajl

/// A YAJL handle that traces its position: the path of each value, the expected token, and the
/// bytes of the unfinished token. It is slower than a lane, but locates faults.
///
/// It validates the *envelope* of a document (the document with every record replaced by `{}` or
/// `[]`), whole documents without framing, and again any record that a lane has rejected. Bytes
/// arrive in chunks, each with its absolute offset. Used by one thread at a time.
final class TracingParser {
  /// Why it stopped, without the line and column, which the reader adds.
  struct Fault: Error {
    var kind: JSONError.Kind
    var reason: String
    var byteOffset: Int
    var pointer: String
  }

  /// What the callbacks of YAJL use: at a stable address, because a class as their context would be
  /// retained and checked for exclusive access at each token.
  fileprivate struct State {
    var trace: Trace
    var handle: yajl_handle?
  }

  private let state: UnsafeMutablePointer<State>
  private var handle: yajl_handle? { state.pointee.handle }
  // The bytes since the last event, without the white space and the separator before their token.
  private var pending = PendingToken()
  private static let smallToken = 512
  private var pendingLimit = smallToken
  // A long string is deferred until it ends: YAJL would read it from its start with each chunk.
  private var deferredString: PendingString?
  private var deferredBytes: [UInt8] = []

  /// - Parameters:
  ///   - limits: the limits of the text.
  ///   - baseDepth: brackets open around it in its document.
  ///   - records: how to find the records; nil for a text without framing.
  init(limits: JSONLimits, baseDepth: Int = 0, records: RecordsLocation? = nil) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(trace: Trace(limits: limits, baseDepth: baseDepth, records: records)))
    state.pointee.handle = TracingCallbacks.makeHandle(context: state)
  }

  deinit {
    if let handle { yajl_free(handle) }
    state.deinitialize(count: 1)
    state.deallocate()
  }

  var trace: Trace {
    _read { yield state.pointee.trace }
    _modify { yield &state.pointee.trace }
  }

  /// Validates the next bytes.
  ///
  /// - Parameters:
  ///   - bytes: the chunk.
  ///   - offset: the absolute offset of its first byte.
  func feed(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(Fault) {
    guard !bytes.isEmpty else { return }
    if deferredString != nil { try deferBytes(bytes) } else { try feedNow(bytes, at: offset) }
  }

  private func feedNow(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(Fault) {
    guard let start = bytes.baseAddress else { return }
    let outcome = parse(start, bytes.count, at: offset)
    pending.append(bytes, at: offset, after: trace.eventEnd, due: trace.due)
    if let refusal { throw refusal }
    if outcome != yajl_status_ok { throw refused() }
    // An unfinished token is checked when its length has doubled, so the checks read it at most
    // twice in all.
    guard pending.count > pendingLimit else {
      if trace.eventEnd != nil { pendingLimit = Self.smallToken }
      return
    }
    if let fault = pendingFault() { throw fault }
    pendingLimit = 2 * pending.count
    if pending.isString { deferredString = pending.string }
  }

  private func deferBytes(_ bytes: UnsafeBufferPointer<UInt8>) throws(Fault) {
    let continues = deferredString?.advance(over: bytes) ?? false
    deferredBytes.append(contentsOf: bytes)
    guard continues else { return try release() }
    if let fault = pendingFault() { throw fault }
  }

  /// Passes the deferred bytes to YAJL.
  private func release() throws(Fault) {
    guard deferredString != nil else { return }
    let bytes = deferredBytes
    deferredString = nil
    deferredBytes = []
    // After the bytes of the string that YAJL already has.
    let offset = pending.offset + pending.count
    try bytes.withUnsafeBufferPointer { (bytes) throws(Fault) in
      try feedNow(bytes, at: offset)
    }
  }

  // Why a callback has stopped YAJL; located at the start of the token if that is at fault.
  private var refusal: Fault? {
    guard var refusal = trace.refusal else { return nil }
    if trace.refusesToken { refusal.byteOffset = pending.offset }
    if case .nextKey = trace.due { refusal.pointer = pointer }
    return refusal
  }

  /// The path (RFC 6901) of the expected or unfinished value; for a key, the path of its object.
  var pointer: String { trace.pointer(afterSeparator: pending.hasSeparator) }

  // The fault that YAJL has reported, or the limit that was exceeded before it.
  private func refused() -> Fault {
    pendingFault() ?? pending.fault(due: trace.due, pointer: pointer)
  }

  /// Validates a record's placeholder: its opening bracket and the matching closing one.
  func feedPlaceholder(_ bracket: UInt8, from start: Int, to end: Int) throws(Fault) {
    try feedByte(bracket, at: start)
    // In ASCII `}` follows `{`, and `]` follows `[`, at a distance of two.
    try feedByte(bracket + 2, at: end)
  }

  /// Validates the end of the text, at `offset`.
  func finish(at offset: Int) throws(Fault) {
    try release()
    // A line feed ends a number or a literal. It is illegal in a string, so an unterminated last
    // string, which YAJL would accept, is rejected.
    var outcome = parse([0x0A], 1, at: offset)
    if let refusal { throw refusal }
    if let handle, outcome == yajl_status_ok { outcome = yajl_complete_parse(handle) }
    if trace.eventEnd != nil { pending.removeAll() }
    if outcome != yajl_status_ok { throw endFault(at: offset) }
  }

  /// The fault of a text that ends at `offset` after accepted bytes only: a misplaced token, or
  /// else the missing rest.
  func endFault(at offset: Int) -> Fault {
    pendingFault() ?? pending.fault(due: trace.due, pointer: pointer, end: offset)
  }

  /// The fault of the unfinished token: it is misplaced, or already exceeds its limit. Nil if it
  /// has none.
  func pendingFault() -> Fault? {
    pending.misplacement(due: trace.due, pointer: pointer) ?? excess
  }

  // Only the well-formed prefix counts: a fault before the limit is reported as such.
  private var excess: Fault? {
    let limit = trace.tokenLimit(isString: pending.isString)
    guard deferredString?.valueBytes ?? pending.soundCount > limit.bytes else { return nil }
    return Fault(
      kind: .limit, reason: trace.limits.message(for: limit.limit.path), byteOffset: pending.offset,
      pointer: pointer)
  }

  private func feedByte(_ byte: UInt8, at offset: Int) throws(Fault) {
    // Not `withUnsafePointer(to:)`: a typed throw has to leave the closure.
    let single: [UInt8] = [byte]
    try single.withUnsafeBufferPointer { (bytes) throws(Fault) in
      try feed(bytes, at: offset)
    }
  }

  private func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int, at offset: Int) -> yajl_status {
    guard let handle else {
      trace.refuse(.limit, "out of memory")
      return yajl_status_error
    }
    trace.beginChunk(at: offset)
    return yajl_parse(handle, bytes, count)
  }

  /// The absolute offset of the unfinished token, if there is one.
  var tokenStart: Int? { pending.count > 0 ? pending.offset : nil }
}

/// The YAJL callbacks of a tracing parser.
private enum TracingCallbacks {
  static func makeHandle(context: UnsafeMutableRawPointer) -> yajl_handle? {
    guard let handle = table.makeHandle(context: context) else { return nil }
    _ = feedcore_yajl_enable(handle, yajl_dont_validate_strings, 1)
    return handle
  }

  private static func report(_ context: UnsafeMutableRawPointer?, _ event: Trace.Event) -> CInt {
    guard let context else { return 0 }
    // The parser owns its handle, so its state outlives every callback.
    let state = context.assumingMemoryBound(to: TracingParser.State.self)
    guard let handle = state.pointee.handle else { return 0 }
    let end = state.pointee.trace.chunkOffset + yajl_get_bytes_consumed(handle)
    return state.pointee.trace.accept(event, endingAt: end) ? 1 : 0
  }

  // Valid until the callback returns.
  private static func text(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int
  ) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes, count: count)
  }

  private static let table = CallbackTable(
    yajl_callbacks(
      yajl_null: { TracingCallbacks.report($0, .literal("null")) },
      yajl_boolean: { TracingCallbacks.report($0, .literal($1 != 0 ? "true" : "false")) },
      yajl_integer: nil,
      yajl_double: nil,
      yajl_number: { context, bytes, count in
        guard let bytes else { return 0 }
        return UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: count) {
          TracingCallbacks.report(context, .number(TracingCallbacks.text($0, count)))
        }
      },
      yajl_string: { TracingCallbacks.report($0, .string(TracingCallbacks.text($1, $2))) },
      yajl_start_map: { TracingCallbacks.report($0, .startObject) },
      yajl_map_key: { TracingCallbacks.report($0, .key(TracingCallbacks.text($1, $2))) },
      yajl_end_map: { TracingCallbacks.report($0, .end) },
      yajl_start_array: { TracingCallbacks.report($0, .startArray) },
      yajl_end_array: { TracingCallbacks.report($0, .end) }))
}
