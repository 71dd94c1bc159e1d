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
    guard let place = failure.place else {
      position = nil
      texts = []
      return
    }
    let (pointer, reason) = (CText(place.pointer), CText(place.reason))
    // Lines cannot be counted in compressed input.
    let hasLines = place.kind != .compression
    position = feedcore_position(
      offset: UInt64(clamping: place.byteOffset),
      line: hasLines ? UInt64(clamping: place.line) : 0,
      column: hasLines ? UInt64(clamping: place.column) : 0,
      record: UInt64(clamping: place.record ?? 0),
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
