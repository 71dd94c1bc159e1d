/// A response of the server, including where the connection breaks.
package struct ServedResponse: Sendable {
  /// How the client learns where the body ends.
  package enum Framing: Sendable {
    /// By a `Content-Length`: the bytes of all steps, or another number.
    case length(Int? = nil)
    /// By a last chunk.
    case chunked
    /// By the end of the connection.
    case close
  }

  /// A step on the way to the end of the body.
  package enum Step: Sendable {
    case bytes([UInt8])
    /// The same bytes, repeated the given number of times.
    case repeated([UInt8], times: Int)
    /// A space every second until the client disconnects, so that the connection is never idle.
    case blanks
    /// Waits until the gate is open.
    case wait(Gate)
    /// Calls a closure of the test after the previous steps are written.
    case note(@Sendable () -> Void)
    /// Opens the gate when the client has closed the connection.
    case awaitClosing(Gate)
    /// The connection ends here.
    case drop
  }

  package var status: Int
  package var fields: [(String, String)]
  package var framing: Framing
  package var steps: [Step]

  package init(
    _ status: Int = 200, fields: [(String, String)] = [], framing: Framing = .length(),
    steps: [Step] = []
  ) {
    self.status = status
    self.fields = fields
    self.framing = framing
    self.steps = steps
  }

  package init(_ status: Int = 200, fields: [(String, String)] = [], text: String) {
    self.init(status, fields: fields, steps: [.bytes(Array(text.utf8))])
  }

  package static func redirect(to target: String, status: Int = 302) -> ServedResponse {
    ServedResponse(status, fields: [("Location", target)])
  }

  var head: String {
    var head = "HTTP/1.1 \(status) Status\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    switch framing {
    // Neither interim responses nor these two have a body.
    case _ where status < 200 || status == 204 || status == 304: break
    case .length(let length): head += "Content-Length: \(length ?? byteCount)\r\n"
    case .chunked: head += "Transfer-Encoding: chunked\r\n"
    case .close: head += "Connection: close\r\n"
    }
    return head + "\r\n"
  }

  private var byteCount: Int {
    steps.reduce(0) { sum, step in
      switch step {
      case .bytes(let bytes): sum + bytes.count
      case .repeated(let bytes, let times): sum + bytes.count * times
      case .blanks, .wait, .note, .awaitClosing, .drop: sum
      }
    }
  }
}
