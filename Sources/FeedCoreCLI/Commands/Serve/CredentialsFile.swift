#if Server
  import FeedServer

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// The file of `--auth-file`.
  enum CredentialsFile {
    private static let limit = 1 << 20

    /// Reads the credentials.
    ///
    /// - Throws: exit status 65 if other users can read or change the file, or its content is
    ///   malformed; else as `FileContents.read`
    static func read(_ path: String) throws(Failure) -> Credentials {
      let name = FileContents.name(of: path)
      let bytes = try FileContents.read(path, limit: limit) { status throws(Failure) in
        guard let mode = repairedMode(status) else { return }
        let argument = path.hasPrefix("-") ? "./" + path : path
        throw Failure(
          .badData,
          "\(name): other users can read or change it; run `chmod \(mode) \(argument.shellWord)`")
      }
      guard let text = String(validating: bytes, as: UTF8.self),
        let credentials = Credentials(lines: text)
      else {
        throw Failure(
          .badData,
          "\(name): write at least one line, each NAME:PASSWORD or a token, with sha256: and 64"
            + " hexadecimal digits in place of a password or token that is not to be stored")
      }
      return credentials
    }

    /// The mode without the permissions of others; nil if there are none.
    ///
    /// A service reads a file of another user, usually root, as a member of its group. Only the
    /// owner may change it. Pipes and the like have no lasting content.
    private static func repairedMode(_ status: stat) -> String? {
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      let isOwn = status.st_uid == geteuid()
      let foreign: mode_t = isOwn ? 0o066 : 0o026
      guard status.st_mode & foreign != 0 else { return nil }
      return isOwn ? "600" : "640"
    }
  }
#endif
