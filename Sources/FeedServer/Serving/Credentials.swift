/// The accepted credentials.
///
/// `NAME:PASSWORD` is for HTTP's Basic scheme (RFC 7617) and for RESP's `AUTH NAME PASSWORD`. A
/// text without a colon is a token, for HTTP's Bearer scheme (RFC 6750) and for `AUTH TOKEN`.
public struct Credentials: Sendable {
  private let pairs: [[UInt8]]
  private let tokens: [[UInt8]]

  /// Parses one of the two forms per line, without surrounding blanks. Blank lines and lines that
  /// start with `#` are ignored. Nil if there are none, or a name or a password is empty.
  public init?(lines text: String) {
    var pairs: [[UInt8]] = []
    var tokens: [[UInt8]] = []
    for line in text.split(whereSeparator: \.isNewline).map(\.trimmingBlanks) {
      guard let first = line.first, first != "#" else { continue }
      guard let colon = line.firstIndex(of: ":") else {
        tokens.append(Array(line.utf8))
        continue
      }
      guard colon > line.startIndex, line.index(after: colon) < line.endIndex else { return nil }
      pairs.append(Array(line.utf8))
    }
    guard !(pairs.isEmpty && tokens.isEmpty) else { return nil }
    self.pairs = pairs
    self.tokens = tokens
  }

  /// Whether a token is accepted.
  package func admit(token: some Collection<UInt8>) -> Bool {
    Self.contains(tokens, Array(token))
  }

  /// Whether `NAME:PASSWORD` is accepted.
  package func admit(nameAndPassword: some Collection<UInt8>) -> Bool {
    Self.contains(pairs, Array(nameAndPassword))
  }

  // Compares all of them, and each to its end, so that the time reveals nothing.
  private static func contains(_ known: [[UInt8]], _ given: [UInt8]) -> Bool {
    var found = false
    for secret in known {
      var difference: UInt8 = secret.count == given.count ? 0 : 1
      for (index, byte) in secret.enumerated() {
        difference |= byte ^ (index < given.count ? given[index] : ~byte)
      }
      if difference == 0 { found = true }
    }
    return found
  }
}
