extension FeedHTTPFields.Field {
  private static let nameMarks = Set("!#$%&'*+-.^_`|~".utf8)

  /// Parses a field line of a message, without its line end (RFC 9112, section 5).
  ///
  /// Nil for an invalid line: a name is a token (RFC 9110, section 5.6.2) directly before the
  /// colon, and a value has no control characters except tabs (section 5.5).
  package init?(line: some StringProtocol) {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
    let (name, value) = (line[..<colon], line[line.index(after: colon)...])
    let isName = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || Self.nameMarks.contains(byte)
    }
    let isValue = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    guard isName, isValue else { return nil }
    self.init(name: String(name), value: String(value.trimmingSpaces))
  }
}
