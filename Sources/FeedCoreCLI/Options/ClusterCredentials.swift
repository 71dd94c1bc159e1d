#if Cluster
  import RESPClient

  /// The file of `--store-auth`.
  enum ClusterCredentials {
    private static let limit = 64 << 10

    /// Reads a line with a user and a password, or with the password of the default user.
    ///
    /// - Throws: exit status 65 for a file without one; else as `FileContents.read`
    static func read(_ path: String) throws(Failure) -> RESPCredentials {
      let bytes = try FileContents.read(path, limit: limit) { _ throws(Failure) in }
      let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
      guard let text = String(validating: line, as: UTF8.self), !text.isEmpty else {
        throw Failure(
          .badData, "\(FileContents.name(of: path)): write one line, NAME:PASSWORD or a password")
      }
      guard let colon = text.firstIndex(of: ":") else { return RESPCredentials(password: text) }
      return RESPCredentials(
        user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }
  }
#endif
