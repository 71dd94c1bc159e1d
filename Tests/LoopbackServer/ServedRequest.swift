/// A request as the server has read it.
package struct ServedRequest: Sendable, Hashable {
  package var method: String
  /// The target as received: path and query.
  package var target: String
  /// Names in lower case.
  package var fields: [String: String]

  package var path: String { String(target.prefix { $0 != "?" }) }

  /// Parses the head of a request; nil if it is invalid.
  init?(head: some StringProtocol) {
    let lines = head.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    method = String(words[0])
    target = String(words[1])
    fields = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
  }
}
