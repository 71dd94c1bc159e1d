#if Server
  import Crypto

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The accepted credentials.
  ///
  /// `NAME:PASSWORD` is for HTTP's Basic scheme (RFC 7617) and for RESP's `AUTH NAME PASSWORD`. A
  /// text without a colon is a token, for HTTP's Bearer scheme (RFC 6750) and for `AUTH TOKEN`. A
  /// password or a token may be given as its SHA-256: `sha256:` and 64 hexadecimal digits.
  ///
  /// Only digests are in memory. They are compared in constant time.
  public struct Credentials: Sendable {
    /// What a client presents, as digests.
    package struct Identity: Hashable, Sendable {
      /// The digest of the name; nil for a token.
      fileprivate let name: SHA256Digest?
      fileprivate let secret: SHA256Digest

      package init(token: some Sequence<UInt8>) {
        name = nil
        secret = SHA256.hash(data: Array(token))
      }

      /// Nil if there is no colon.
      package init?(nameAndPassword: some Collection<UInt8>) {
        guard let colon = nameAndPassword.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let password = nameAndPassword[nameAndPassword.index(after: colon)...]
        name = SHA256.hash(data: Array(nameAndPassword[..<colon]))
        secret = SHA256.hash(data: Array(password))
      }
    }

    /// The digests of an accepted identity.
    private struct Account {
      let name: [UInt8]?
      let secret: [UInt8]

      /// Nil if the name or the secret is empty, or a digest is malformed.
      init?(line: Substring) {
        var secret = line
        if let colon = line.firstIndex(of: ":"), !line.hasPrefix(Credentials.digestPrefix) {
          guard colon > line.startIndex else { return nil }
          name = Array(SHA256.hash(data: Array(line[..<colon].utf8)))
          secret = line[line.index(after: colon)...]
        } else {
          name = nil
        }
        guard let digest = Self.digest(of: secret) else { return nil }
        self.secret = digest
      }

      private static func digest(of secret: Substring) -> [UInt8]? {
        guard secret.hasPrefix(Credentials.digestPrefix) else {
          return secret.isEmpty ? nil : Array(SHA256.hash(data: Array(secret.utf8)))
        }
        let text = secret.dropFirst(Credentials.digestPrefix.count)
        let digits = text.compactMap(\.hexDigitValue)
        // Digits of other scripts take more bytes.
        guard digits.count == 2 * SHA256Digest.byteCount, text.utf8.count == digits.count else {
          return nil
        }
        return stride(from: 0, to: digits.count, by: 2).map { index in
          UInt8(digits[index] << 4 | digits[index + 1])
        }
      }

      /// Digests compare in constant time.
      func matches(_ identity: Identity) -> Bool {
        let isSecret = identity.secret == secret
        let isName =
          if let name, let given = identity.name {
            given == name
          } else {
            name == nil && identity.name == nil
          }
        return isSecret && isName
      }
    }

    private static let digestPrefix = "sha256:"

    private let accounts: [Account]

    /// Parses one of the forms per line, without surrounding blanks. Blank lines and lines that
    /// start with `#` are ignored. Nil if there are none, a name or a password is empty, or what
    /// follows `sha256:` is not a digest.
    public init?(lines text: String) {
      var accounts: [Account] = []
      for line in text.split(whereSeparator: \.isNewline).map(\.trimmingBlanks) {
        guard let first = line.first, first != "#" else { continue }
        guard let account = Account(line: line) else { return nil }
        accounts.append(account)
      }
      guard !accounts.isEmpty else { return nil }
      self.accounts = accounts
    }

    /// Whether a client with this identity is accepted.
    ///
    /// All accounts are compared, so that the time reveals nothing.
    package func admit(_ identity: Identity) -> Bool {
      accounts.reduce(false) { $1.matches(identity) || $0 }
    }

    /// Whether a token is accepted.
    package func admit(token: some Collection<UInt8>) -> Bool { admit(Identity(token: token)) }

    /// Whether `NAME:PASSWORD` is accepted.
    package func admit(nameAndPassword: some Collection<UInt8>) -> Bool {
      Identity(nameAndPassword: nameAndPassword).map { admit($0) } ?? false
    }
  }
#endif
