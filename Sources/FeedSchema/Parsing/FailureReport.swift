import JSONStream

/// What a JSON answer says about a failure of its service, in the forms that services use:
/// `{"status": "error", "code": …, "message": …}`, `{"error": {"code": …, "message": …}}`,
/// `{"error": "…"}`, `{"errors": [{"message": …}]}`, and problem documents (RFC 9457).
package struct FailureReport: Sendable {
  /// The maximum number of code points shown of a code and of a message.
  private static let maximumCode = 64
  private static let maximumMessage = 300

  private static let messages: [[String]] = [
    ["message"], ["error", "message"], ["detail"], ["error_description"],
    ["errors", "0", "message"], ["errors", "0", "detail"], ["errors", "0"], ["error"], ["errors"],
    ["title"],
  ]
  private static let codes: [[String]] = [
    ["code"], ["error", "code"], ["errors", "0", "code"], ["error"],
  ]

  private let answer: JSONTree

  /// Reads an answer; nil if it is not a JSON object.
  package init?(_ object: borrowing RawSpan) {
    // A service may report in another encoding than UTF-8.
    let text = Array(object.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.utf8)
    guard let answer = try? JSONTree(parsing: text.span.bytes), answer.members != nil else {
      return nil
    }
    self.answer = answer
  }

  /// Whether a top-level `error` or `errors` names an error.
  package var hasError: Bool {
    ["error", "errors"].contains { key in
      switch answer.value(at: [key]) {
      case .string(let text): text.contains { !$0.isWhitespace }
      case .number(let text): Double(text) != 0
      case .array(let elements): !elements.isEmpty
      case .object(let members): !members.isEmpty
      case .boolean(let value): value
      case .null, nil: false
      }
    }
  }

  /// Whether a member that reports success has another value.
  func breaks(_ rules: [PayloadSchema.Success]) -> Bool {
    rules.contains { rule in
      switch answer.value(at: [rule.key]) {
      case nil, .null: false
      case .string(let text): text.lowercased() != rule.value
      default: true
      }
    }
  }

  /// The service's message; nil if it gives none.
  package var message: String? { Self.messages.lazy.compactMap(text).first }

  /// The service's code and message, short and without control characters.
  package var text: String { given ?? "it gives no reason" }

  /// The same; nil if it gives neither.
  package var given: String? {
    let code = Self.codes.lazy.compactMap(text).first
    switch (code, message) {
    case (let code?, let message?) where code != message:
      return Self.shown(code, Self.maximumCode) + ": " + Self.shown(message, Self.maximumMessage)
    case (let text?, _), (nil, let text?): return Self.shown(text, Self.maximumMessage)
    case (nil, nil): return nil
    }
  }

  private func text(at path: [String]) -> String? {
    switch answer.value(at: path) {
    case .string(let text): text.contains { !$0.isWhitespace } ? text : nil
    case .number(let text): text
    default: nil
    }
  }

  /// A service's text, cut and with its control characters escaped.
  package static func shown(_ text: String, _ maximum: Int) -> String {
    let start = text.unicodeScalars.prefix(maximum)
    let escaped = TerminalText.escaped(String(start))
    return start.endIndex == text.endIndex ? escaped : escaped + "…"
  }
}
