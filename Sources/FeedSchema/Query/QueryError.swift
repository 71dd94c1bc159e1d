package import JSONStream

/// Why a text is not a condition, path or order of a query.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text at fault, as it was written.
  public let text: String
  /// What is wrong and what to do.
  public let reason: String

  package init(_ text: String, _ reason: String) {
    self.text = text
    self.reason = reason
  }

  public var description: String { "\(TerminalText.escaped(text)): \(reason)" }
}

extension JSONPath {
  /// Compiles the path of a query.
  ///
  /// - Parameter whole: the text that begins with the path; nil for the path itself
  package init(query text: String, in whole: String? = nil) throws(QueryError) {
    do throws(Fault) {
      self = try JSONPath(text)
    } catch {
      throw QueryError(whole ?? text, "at character \(error.character): \(error.reason)")
    }
  }
}
