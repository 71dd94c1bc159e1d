import CYajl

/// A YAJL handle that traces where it stands: the path to each value, the token that is due, and
/// the bytes of the token that has begun. Slower than a lane and able to say where a fault is.
///
/// It proves the *spine* of a document (everything but its records, each of which it sees as
/// `{}` or `[]`), whole documents without framing, and once more any record that a lane has
/// refused. Bytes reach it in pieces, each with its absolute offset. It is used by one thread at
/// a time.
final class TracingParser {
  /// Why it stopped, without the position that only the reader knows.
  struct Fault: Error {
    var kind: JSONError.Kind
    var reason: String
    var byteOffset: Int
    var pointer: String
  }

  var trace: Trace
  private var handle: yajl_handle?
  // The bytes since the last event, without the white space and the separator before the token
  // that they begin.
  private var pending = PendingToken()
  private static let smallToken = 512
  private var pendingLimit = smallToken
  // A long string is held back until it ends: with each piece YAJL would read it from its beginning.
  private var heldString: PendingString?
  private var held: [UInt8] = []

  /// - Parameters:
  ///   - limits: what the text may ask for.
  ///   - baseDepth: brackets open around it in its document.
  ///   - spine: how to treat the records of a document; nil for a text without framing.
  init(limits: JSONLimits, baseDepth: Int = 0, records: Trace.RecordsLocation? = nil) {
    trace = Trace(limits: limits, baseDepth: baseDepth, records: records)
    handle = TracingCallbacks.makeHandle(context: Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { if let handle { yajl_free(handle) } }

  /// Proves the next bytes.
  ///
  /// - Parameters:
  ///   - bytes: the piece.
  ///   - offset: the absolute offset of its first byte.
  func feed(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(Fault) {
    guard !bytes.isEmpty else { return }
    if heldString != nil { try hold(bytes) } else { try feedNow(bytes, at: offset) }
  }

  private func feedNow(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(Fault) {
    guard let start = bytes.baseAddress else { return }
    let outcome = parse(start, bytes.count, at: offset)
    pending.append(bytes, at: offset, after: trace.eventEnd, due: trace.due)
    if let refusal { throw refusal }
    if outcome != yajl_status_ok { throw refused() }
    // A token that goes on is looked at when its length has doubled, so that it is read twice
    // at most.
    guard pending.count > pendingLimit else {
      if trace.eventEnd != nil { pendingLimit = Self.smallToken }
      return
    }
    if let fault = pendingFault() { throw fault }
    pendingLimit = 2 * pending.count
    if pending.isString { heldString = pending.string }
  }

  private func hold(_ bytes: UnsafeBufferPointer<UInt8>) throws(Fault) {
    let goesOn = heldString?.advance(over: bytes) ?? false
    held.append(contentsOf: bytes)
    guard goesOn else { return try release() }
    if let fault = pendingFault() { throw fault }
  }

  /// Shows YAJL what was held back.
  private func release() throws(Fault) {
    guard heldString != nil else { return }
    let bytes = held
    heldString = nil
    held = []
    // Behind what YAJL has of the string.
    let offset = pending.offset + pending.count
    try bytes.withUnsafeBufferPointer { (bytes) throws(Fault) in
      try feedNow(bytes, at: offset)
    }
  }

  // Why a callback has stopped YAJL, with the first byte of the token if it is a token's fault.
  private var refusal: Fault? {
    guard var refusal = trace.refusal else { return nil }
    if trace.refusesToken { refusal.byteOffset = pending.offset }
    if case .nextKey = trace.due { refusal.pointer = pointer }
    return refusal
  }

  /// The path (RFC 6901) of the value that is due or has begun: of the object where that is a key.
  var pointer: String { trace.pointer(behindSeparator: pending.hasSeparator) }

  // What YAJL has refused, or the limit that was met before.
  private func refused() -> Fault {
    pendingFault() ?? pending.fault(due: trace.due, pointer: pointer)
  }

  /// Proves a record's stand-in: its opening bracket and the one that closes such a bracket.
  func feedPlaceholder(_ bracket: UInt8, from start: Int, to end: Int) throws(Fault) {
    try feedByte(bracket, at: start)
    // In ASCII `}` follows `{`, and `]` follows `[`, at a distance of two.
    try feedByte(bracket + 2, at: end)
  }

  /// Proves the end of the text, which stands at `offset`.
  func finish(at offset: Int) throws(Fault) {
    try release()
    // A line feed ends a number or a literal and is illegal in a string, which closes YAJL's
    // hole of accepting an unterminated last string.
    var outcome = parse([0x0A], 1, at: offset)
    if let refusal { throw refusal }
    if let handle, outcome == yajl_status_ok { outcome = yajl_complete_parse(handle) }
    if trace.eventEnd != nil { pending.removeAll() }
    if outcome != yajl_status_ok { throw endFault(at: offset) }
  }

  /// What is wrong with a text that ends at `offset`, though all bytes before it were accepted:
  /// a token that could not stand where it begins, or else the missing rest.
  func endFault(at offset: Int) -> Fault {
    pendingFault() ?? pending.fault(due: trace.due, pointer: pointer, end: offset)
  }

  /// What is wrong with the beginning of the token begun last: it stands where none can, or has
  /// met its limit already. Nil if nothing is.
  func pendingFault() -> Fault? {
    pending.misplacement(due: trace.due, pointer: pointer) ?? excess
  }

  // What is malformed before the limit is met is refused for that.
  private var excess: Fault? {
    let limit = trace.tokenLimit(isString: pending.isString)
    guard heldString?.valueBytes ?? pending.soundCount > limit.bytes else { return nil }
    return Fault(
      kind: .limit, reason: trace.limits.message(for: limit.path), byteOffset: pending.offset,
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
    trace.beginPiece(at: offset)
    return yajl_parse(handle, bytes, count)
  }

  /// Where the token begins that has begun and not ended.
  var tokenStart: Int? { pending.count > 0 ? pending.offset : nil }

  // The absolute offset behind the token just read.
  fileprivate var tokenEnd: Int {
    guard let handle else { return 0 }
    return trace.pieceOffset + yajl_get_bytes_consumed(handle)
  }
}

/// YAJL's side of a tracing parser.
private enum TracingCallbacks {
  static func makeHandle(context: UnsafeMutableRawPointer) -> yajl_handle? {
    guard let handle = yajl_alloc(table.pointer, nil, context) else { return nil }
    _ = feedcore_yajl_enable(handle, yajl_dont_validate_strings, 1)
    return handle
  }

  private struct Table: @unchecked Sendable {
    // Immutable once made, and plain function pointers: safe to read from every thread.
    let pointer: UnsafePointer<yajl_callbacks>
  }

  private static func report(_ context: UnsafeMutableRawPointer?, _ event: Trace.Event) -> CInt {
    guard let context else { return 0 }
    // The parser owns its handle, so it outlives every callback of it.
    let parser = Unmanaged<TracingParser>.fromOpaque(context).takeUnretainedValue()
    return parser.trace.accept(event, endingAt: parser.tokenEnd) ? 1 : 0
  }

  private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  private static let table: Table = {
    let callbacks = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    callbacks.initialize(
      to: yajl_callbacks(
        yajl_null: { TracingCallbacks.report($0, .literal("null")) },
        yajl_boolean: { TracingCallbacks.report($0, .literal($1 != 0 ? "true" : "false")) },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { context, bytes, count in
          guard let bytes else { return 0 }
          let digits = UnsafeRawBufferPointer(start: bytes, count: count)
          return TracingCallbacks.report(context, .number(Array(digits)))
        },
        yajl_string: { TracingCallbacks.report($0, .string(TracingCallbacks.text($1, $2))) },
        yajl_start_map: { TracingCallbacks.report($0, .startObject) },
        yajl_map_key: { TracingCallbacks.report($0, .key(TracingCallbacks.text($1, $2))) },
        yajl_end_map: { TracingCallbacks.report($0, .end) },
        yajl_start_array: { TracingCallbacks.report($0, .startArray) },
        yajl_end_array: { TracingCallbacks.report($0, .end) }))
    return Table(pointer: UnsafePointer(callbacks))
  }()
}
