import FeedSchema
import Threading

/// A status that the resource does not accept, and what its response says about it.
struct RefusedStatus: Error {
  /// The maximum number of bytes of a message, more than services send. The rest of the body is not
  /// read.
  private static let maximumBytes = 16 << 10
  /// The maximum number of code points that are shown of a text.
  private static let maximumText = 300
  /// The maximum wait for the message.
  private static let patience = Duration.seconds(5)

  let status: Int
  let message: String?
  let retryAfter: Duration?

  /// Reads the message of a response.
  ///
  /// - Throws: `CancellationError` if the task was cancelled.
  init(_ response: FeedHTTPResponse, mediaType: String?, named name: String) async throws {
    status = response.status
    retryAfter = response.fields.retryAfter
    let reading = SharedTask { await Self.body(of: response, named: name) }
    defer { reading.cancel() }
    message = try await reading.value(within: Self.patience).flatMap { bytes in
      Self.message(in: bytes, mediaType)
    }
  }

  private static func body(of response: FeedHTTPResponse, named name: String) async -> [UInt8] {
    var body: [UInt8] = []
    // A body that is damaged or never ends may still begin with a message.
    do {
      var content = try ContentReader(response, .stream, unpacksFiles: false, named: name)
      while body.count < maximumBytes, let piece = try await content.next() { body += piece }
    } catch {}
    guard body.count > maximumBytes else { return body }
    // The text ends before a character that the limit cuts.
    var end = maximumBytes
    while end > 0, body[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(body[..<end])
  }

  private static func message(in body: [UInt8], _ mediaType: String?) -> String? {
    if let report = FailureReport(body.span.bytes) { return report.given }
    // A page is not a message, and neither is text that cannot be read.
    guard mediaType == "text/plain", let text = String(validating: body, as: UTF8.self) else {
      return nil
    }
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.isEmpty ? nil : FailureReport.shown(words, maximumText)
  }

  /// The error of a resource.
  func error(of resource: String) -> RemoteError {
    RemoteError(
      resource: resource, .status(status), serviceMessage: message, retryAfter: retryAfter)
  }
}
