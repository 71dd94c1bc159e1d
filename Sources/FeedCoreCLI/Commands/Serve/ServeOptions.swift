#if Server
  import ArgumentParser
  import FeedCore
  import FeedServer
  import Logging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// The value of `--origin`: a feed and the service that it comes from.
  struct OriginOption: ExpressibleByArgument {
    let name: FeedName
    let url: URL

    init?(argument: String) {
      guard let equals = argument.firstIndex(of: "="),
        let name = try? FeedName(String(argument[..<equals])),
        let url = ServiceURL(argument: String(argument[argument.index(after: equals)...]))
      else { return nil }
      self.name = name
      self.url = url.url
    }
  }

  /// The value of `--policy` of a server: a feed and its cache policy.
  struct FeedPolicyOption: ExpressibleByArgument {
    let name: FeedName
    let policy: CachePolicy

    init?(argument: String) {
      let parts = argument.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2, let name = try? FeedName(parts[0]),
        let policy = PolicyName(argument: parts[1])
      else { return nil }
      self.name = name
      self.policy = policy.policy
    }
  }

  /// The value of `--public-url`: a scheme, a host and optionally a port, as the prefix of links.
  struct PublicURL: ExpressibleByArgument {
    /// The URL without a trailing slash.
    let text: String

    init?(argument: String) {
      let text = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
      // A URL that had to be encoded would differ from the prefix of links.
      guard let url = ServiceURL(argument: text)?.url, url.absoluteString == text,
        url.path().isEmpty, url.query() == nil, url.fragment() == nil, url.user() == nil,
        !text.hasSuffix(":")
      else { return nil }
      self.text = text
    }
  }

  /// The value of `--allow-host`: a host, with a port if only that port is allowed.
  struct HostName: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
      guard let url = ServiceURL(argument: "http://" + argument)?.url, url.path().isEmpty,
        url.query() == nil, url.fragment() == nil, url.user() == nil,
        url.absoluteString == "http://" + argument, !argument.hasSuffix(":")
      else { return nil }
      text = argument
    }
  }

  /// The value of `--cors`: an origin as browsers send it (RFC 6454, section 6.2), or `*`.
  struct WebOrigin: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
      if argument == "*" {
        text = argument
        return
      }
      var origin = argument.lowercased()
      if origin.hasSuffix("/") { origin.removeLast() }
      guard
        let match = origin.wholeMatch(
          of: /([a-z][a-z0-9+.\-]*):\/\/(?:[a-z0-9._\-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/)
      else { return nil }
      // Browsers leave out the default port.
      let isDefault = [("http", ":80"), ("https", ":443")].contains { scheme, port in
        match.output.1 == scheme && match.output.2 == Substring(port)
      }
      text = isDefault ? String(origin.dropLast(match.output.2?.count ?? 0)) : origin
    }
  }

  /// The value of `--socket-mode`: permission bits in octal digits.
  struct SocketMode: ExpressibleByArgument {
    let bits: UInt16

    init?(argument: String) {
      guard argument.wholeMatch(of: /0?[0-7]{3}/) != nil, let bits = UInt16(argument, radix: 8)
      else { return nil }
      self.bits = bits
    }
  }

  /// The value of `--socket-group`.
  enum SocketGroup {
    /// The number of a group that is given by its number or its name.
    ///
    /// - Throws: exit status 64 if there is no such group
    static func number(_ argument: String) throws(Failure) -> UInt32 {
      if let number = UInt32(argument) { return number }
      guard let group = getgrnam(argument) else {
        throw Failure(.usage, "--socket-group: there is no group \(argument)")
      }
      return group.pointee.gr_gid
    }
  }

  /// The value of `--http` and `--resp`: a host and a port.
  struct HostAndPort: ExpressibleByArgument {
    let address: ListenAddress

    init?(argument: String) {
      guard let address = ListenAddress(hostAndPort: argument) else { return nil }
      self.address = address
    }
  }

  /// The value of `--log-level`.
  struct LogLevel: ExpressibleByArgument {
    let level: Logger.Level

    init?(argument: String) {
      guard let level = Logger.Level(rawValue: argument) else { return nil }
      self.level = level
    }

    static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
  }
#endif
