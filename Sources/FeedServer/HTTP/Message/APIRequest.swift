#if Server
  import HTTPTypes

  /// A request in the form that the routes use.
  struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    let target: RequestTarget
    let fields: HTTPFields
    /// The host and port that the client requested.
    let authority: String
    /// The prefix of absolute URLs if a proxy is in front of this server.
    let publicURL: String?

    /// A segment of the path, counted from 0.
    ///
    /// - Throws: ``Problem`` 404 if the path is shorter.
    func segment(_ index: Int) throws(Problem) -> String {
      guard target.segments.indices.contains(index) else {
        throw .notFound("there is nothing here")
      }
      return target.segments[index]
    }

    /// A number in the query.
    ///
    /// - Throws: ``Problem`` if the value is not a number or out of range.
    func number(
      _ name: String, in range: ClosedRange<Int>, default number: Int
    ) throws(Problem) -> Int {
      guard let text = target[name] else { return number }
      // Without a plus sign and zeros before it, as JSON writes a number.
      guard let value = Int(text), range.contains(value), text == "\(value)" else {
        throw .parameter(
          name,
          range.upperBound == .max
            ? "a whole number from \(range.lowerBound) on"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }

    /// A text in the query; nil if it is missing or empty.
    func text(_ name: String) -> String? {
      target[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A search text; nil if there is none.
    ///
    /// - Throws: ``Problem`` if it is too long.
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
