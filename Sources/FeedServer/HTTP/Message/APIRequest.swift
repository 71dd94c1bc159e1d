#if Server
  import HTTPTypes

  /// A request as the routes see it.
  struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    let target: RequestTarget
    let fields: HTTPFields
    /// The host and the port that the client asked.
    let authority: String
    /// What absolute URLs begin with where a proxy is in front of this server.
    let publicURL: String?

    /// A number in the query.
    ///
    /// - Throws: ``Problem`` where it is none, or not one of these.
    func number(
      _ name: String, in range: ClosedRange<Int>, default number: Int
    ) throws(Problem) -> Int {
      guard let text = target[name] else { return number }
      guard let value = Int(text), range.contains(value) else {
        throw .parameter(
          name,
          range.upperBound == .max
            ? "a whole number from \(range.lowerBound) on"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }

    /// A text in the query; nil where it is not there or empty.
    func text(_ name: String) -> String? {
      target[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A text that is looked for; nil where there is none.
    ///
    /// - Throws: ``Problem`` where it is longer than such a text may be.
    func searchText(_ name: String) throws(Problem) -> String? {
      guard let text = text(name) else { return nil }
      guard text.unicodeScalars.count <= TextSearch.limit else {
        throw .parameter(name, "a text of at most \(TextSearch.limit) characters")
      }
      return text
    }

    /// The absolute URL of a path and query on this server.
    func url(_ path: String) -> String { (publicURL ?? "http://\(authority)") + path }
  }
#endif
