/// The URL of a cluster or a single node:
/// `redis-cluster://h1:p1,h2:p2[/prefix][?near=DIR&near-cap=SIZE&read=…&wait=N&eviction=…]`.
///
/// `rediss-cluster` and `rediss` use TLS, with the PEM files of `ca`, `cert` and `key` and the name
/// of `server-name`; `redis` and `rediss` name a single node.
package struct ClusterURL: Hashable, Sendable {
  /// What to do if the eviction policy of a node may evict published blocks (`allkeys-*`).
  package enum Eviction: String, Sendable {
    case refuse
    case unsafe
  }

  package let nodes: [RESPNode]
  package let isCluster: Bool
  /// How nodes are verified; nil for connections without TLS.
  package private(set) var tls: RESPConfiguration.TLS?
  /// The prefix of all keys.
  package private(set) var prefix = "fc"
  /// The directory of the near store; nil for the default.
  package private(set) var near: String?
  /// The limit of the near store, as it was written (`near-cap`); nil if there is none.
  package private(set) var nearCap: String?
  package private(set) var reading = RESPConfiguration.Reading.primary
  /// The number of replicas that confirm a barrier; 0 for no barriers.
  package private(set) var wait: Int
  package private(set) var eviction = Eviction.refuse

  private static let schemes: [String: (isCluster: Bool, isSecure: Bool)] = [
    "redis-cluster": (true, false), "rediss-cluster": (true, true), "redis": (false, false),
    "rediss": (false, true),
  ]

  /// Whether a text has the scheme of such a URL. The rest may be invalid.
  package static func isURL(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "://") else { return false }
    return schemes[text[..<end.lowerBound].lowercased()] != nil
  }

  package init(_ text: String) throws(ClusterURLError) {
    guard let end = text.firstRange(of: "://"),
      let scheme = Self.schemes[text[..<end.lowerBound].lowercased()]
    else { throw .scheme }
    isCluster = scheme.isCluster
    if scheme.isSecure { tls = RESPConfiguration.TLS() }
    wait = scheme.isCluster ? 1 : 0
    let rest = text[end.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    // This check is first, because all other errors quote the refused text.
    guard !rest.contains("@") else { throw .credentials }
    guard !rest.contains("#") else { throw .fragment }
    nodes = try Self.nodes(authority, isCluster: scheme.isCluster)
    let tail = rest.dropFirst(authority.count)
    let path = tail.prefix { $0 != "?" }
    if path.count > 1 { prefix = try Self.prefix(path.dropFirst()) }
    try readQuery(tail.dropFirst(path.count + 1))
  }

  /// The configuration of a client for this URL, without credentials.
  package var configuration: RESPConfiguration {
    var configuration = RESPConfiguration(seeds: nodes, isCluster: isCluster)
    configuration.reading = reading
    configuration.tls = tls
    return configuration
  }

  private static func nodes(
    _ text: Substring, isCluster: Bool
  ) throws(ClusterURLError) -> [RESPNode] {
    var nodes: [RESPNode] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let hasPort = part.last != "]" && part.contains(":")
      let address = hasPort ? String(part) : "\(part):6379"
      // Colons outside of brackets may be a user and a password.
      let others: Set<Character> =
        part.hasPrefix("[") ? ["-", ".", "_", ":", "%"] : ["-", ".", "_"]
      guard let node = RESPNode(address),
        node.host.allSatisfy({
          $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0)
        })
      else {
        // The refused text may contain a password, so the error does not quote it.
        throw part.contains("%") || part.count(where: { $0 == ":" }) > 1
          ? .address : .node(String(part))
      }
      nodes.append(node)
    }
    guard isCluster || nodes.count == 1 else { throw .severalNodes }
    return nodes
  }

  // The prefix is part of keys, where braces and colons have a meaning.
  private static func prefix(_ text: Substring) throws(ClusterURLError) -> String {
    let isValid = text.allSatisfy { character in
      character.isASCII && (character.isLetter || character.isNumber || "-._".contains(character))
    }
    guard isValid, text.utf8.count <= 64 else { throw .prefix(String(text)) }
    return String(text)
  }

  private mutating func readQuery(_ query: Substring) throws(ClusterURLError) {
    var names: Set<Substring> = []
    for part in query.split(separator: "&") {
      let name = part.prefix { $0 != "=" }
      // This check precedes any error that quotes the value.
      if ["user", "username", "password", "auth"].contains(name) { throw .credentials }
      guard let value = Self.decoded(part.dropFirst(name.count + 1)), !value.isEmpty else {
        throw .value(name: String(name), part.dropFirst(name.count + 1).description)
      }
      guard names.insert(name).inserted else { throw .repeatedParameter(String(name)) }
      let error = ClusterURLError.value(name: String(name), value)
      switch name {
      case "near": near = value
      case "near-cap": nearCap = value
      case "read":
        guard let reading = RESPConfiguration.Reading(rawValue: value) else { throw error }
        self.reading = reading
      case "wait":
        guard let count = Int(value), (0...100).contains(count) else { throw error }
        wait = count
      case "eviction":
        guard let eviction = Eviction(rawValue: value) else { throw error }
        self.eviction = eviction
      case "ca", "cert", "key", "server-name": try readTLS(String(name), value)
      default: throw .parameter(String(name))
      }
    }
    guard (tls?.certificate == nil) == (tls?.privateKey == nil) else { throw .halfCertificate }
  }

  private mutating func readTLS(_ name: String, _ value: String) throws(ClusterURLError) {
    guard tls != nil else { throw .insecure(parameter: name) }
    switch name {
    case "ca": tls?.authority = value
    case "cert": tls?.certificate = value
    case "key": tls?.privateKey = value
    default: tls?.serverName = value
    }
  }

  /// A value without its percent escapes; nil if one is malformed.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// The part of a URL that is not valid.
package enum ClusterURLError: Error, Hashable, Sendable {
  case scheme
  case credentials
  case fragment
  case node(String)
  /// A node with colons or escapes outside of brackets. The error does not quote it.
  case address
  case severalNodes
  case prefix(String)
  case parameter(String)
  case repeatedParameter(String)
  case value(name: String, String)
  /// A parameter of TLS in a URL without TLS.
  case insecure(parameter: String)
  /// A certificate without its key, or a key without its certificate.
  case halfCertificate
}

extension ClusterURLError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .scheme:
      "the scheme of a cluster is redis-cluster:// or rediss-cluster://,"
        + " that of a single node redis:// or rediss://"
    case .credentials:
      "a URL must not contain a user or a password: use --store-auth FILE or FEEDCORE_STORE_AUTH"
    case .fragment: "a URL of a cluster has no part after #"
    case .node(let text): "'\(text)' is not a host, or a host and a port from 1 to 65535"
    case .address:
      "a node is HOST:PORT, or [ADDRESS]:PORT for IPv6; a user or a password belongs in the file of"
        + " --store-auth"
    case .severalNodes: "redis:// and rediss:// name one node: use redis-cluster:// for several"
    case .prefix(let text):
      "the prefix '\(text)' must have up to 64 letters, digits, dots, hyphens or underscores"
    case .parameter(let name):
      "there is no parameter '\(name)': use near, near-cap, read, wait, eviction, ca, cert, key or"
        + " server-name"
    case .repeatedParameter(let name): "the parameter '\(name)' is there twice"
    case .insecure(let name): "\(name) needs TLS: use rediss-cluster:// or rediss://"
    case .halfCertificate: "cert and key belong together"
    case .value(let name, let value):
      switch name {
      case "read": "read=\(value): use primary or replica"
      case "wait": "wait=\(value): use a number from 0 to 100"
      case "eviction": "eviction=\(value): use refuse or unsafe"
      default: "\(name)=\(value): the value is empty or has a wrong escape"
      }
    }
  }
}
