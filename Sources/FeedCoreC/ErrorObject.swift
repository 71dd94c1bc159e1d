// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import JSONStream

/// An error object for C, with texts in its own memory.
final class ErrorObject: Handle {
  let status: feedcore_status
  let message: CText
  let position: feedcore_position?
  private let texts: [CText]

  init(_ failure: Failure) {
    status = failure.status
    // Names of files and inputs may contain line breaks or cursor controls.
    message = CText(TerminalText.escaped(failure.message))
    guard let fault = failure.position else {
      position = nil
      texts = []
      return
    }
    let (pointer, reason) = (CText(fault.pointer), CText(fault.reason))
    // Lines cannot be counted in compressed input.
    let hasLines = fault.kind != .compression
    position = feedcore_position(
      offset: UInt64(clamping: fault.byteOffset),
      line: hasLines ? UInt64(clamping: fault.line) : 0,
      column: hasLines ? UInt64(clamping: fault.column) : 0,
      record: UInt64(clamping: fault.record ?? 0),
      pointer: pointer.start, pointer_length: pointer.count, reason: reason.start,
      reason_length: reason.count)
    texts = [pointer, reason]
  }
}

extension ErrorObject {
  /// Reads an error, which may be a reserved one.
  static func look<Result>(_ word: OpaquePointer?, _ body: (ErrorObject) -> Result) -> Result? {
    HandleTable.peek(word, as: ErrorObject.self, body) ?? ReservedErrors.object(word).map(body)
  }
}

private let emptyText = CText("")

@c @implementation
public func feedcore_error_status(_ error: OpaquePointer?) -> feedcore_status {
  ErrorObject.look(error, \.status) ?? FEEDCORE_BAD_HANDLE
}

@c @implementation
public func feedcore_error_message(
  _ error: OpaquePointer?, _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  let text = ErrorObject.look(error, \.message) ?? emptyText
  length?.pointee = text.count
  return text.start
}

@c @implementation
public func feedcore_error_position(
  _ error: OpaquePointer?, _ position: UnsafeMutablePointer<feedcore_position>?
) -> feedcore_status {
  position?.pointee = feedcore_position()
  return ErrorObject.look(error) { error in
    guard let position else { return FEEDCORE_MISUSE }
    guard let found = error.position else { return FEEDCORE_NONE }
    position.pointee = found
    return FEEDCORE_OK
  } ?? FEEDCORE_BAD_HANDLE
}

@c @implementation
public func feedcore_error_free(_ error: OpaquePointer?) -> feedcore_status {
  if ReservedErrors.object(error) != nil { return FEEDCORE_OK }
  return Call.close(error, ErrorObject.self, alone: false)
}

// MARK: Texts

private let unknown = CText("unknown status")

let statusTexts: [CText] = [
  "ok", "none", "misuse", "bad handle", "read only", "not found", "busy", "cancelled", "conflict",
  "bad payload", "several kinds", "too many rejected", "invalid name", "invalid kind", "too large",
  "disk full", "input or output failed", "permission denied", "damaged", "incompatible", "replaced",
  "forked", "no memory",
].map { CText($0) }

@c @implementation
public func feedcore_status_text(_ status: feedcore_status) -> UnsafePointer<CChar>? {
  let index = Int(status.rawValue)
  return statusTexts.indices.contains(index) ? statusTexts[index].start : unknown.start
}

/// One error for each status, for failures when all handles are in use. Freeing them does nothing,
/// so any number of callers may share one.
///
/// Their handles are those of the table's first slot, which is never used.
enum ReservedErrors {
  /// `nonisolated(unsafe)`: the array is a constant, and errors are immutable.
  private nonisolated(unsafe) static let objects = (2..<statusTexts.count).map { status in
    ErrorObject(failure(feedcore_status(UInt32(status))))
  }

  /// The handle of the error for a failure status.
  static func word(_ status: feedcore_status) -> OpaquePointer? {
    OpaquePointer(bitPattern: UInt(status.rawValue) << HandleTable.indexBits)
  }

  /// The error of a handle, if it is a reserved one.
  static func object(_ word: OpaquePointer?) -> ErrorObject? {
    let bits = UInt(bitPattern: word)
    guard bits & UInt(HandleTable.capacity - 1) == 0 else { return nil }
    let index = Int(bits >> HandleTable.indexBits) - 2
    return objects.indices.contains(index) ? objects[index] : nil
  }

  private static func failure(_ status: feedcore_status) -> Failure {
    if status == FEEDCORE_NO_MEMORY { return .tooManyHandles }
    let text = feedcore_status_text(status).map { String(cString: $0) } ?? ""
    return Failure(
      status, "\(text); too many handles are open to say more, close those that are not needed")
  }
}
