extension HTTPFields.Field {
  private static let nameMarks = Set("!#$%&'*+-.^_`|~".utf8)

  /// A field from a line as it stands in a message, without the end of the line (RFC 9112,
  /// section 5).
  ///
  /// Nil for what is none: names are tokens (RFC 9110, section 5.6.2), directly before the colon, and
  /// values have no control characters but tabs (section 5.5).
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
