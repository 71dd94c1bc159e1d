#if Server
  import HTTPTypes
  import NIOHTTP1

  /// Checks the heads of the requests of one connection, independent of their resources.
  struct RequestCheck {
    private let limits: ConnectionLimits
    /// The names under which clients may address the server; nil if all are.
    private let allowedHosts: AllowedHosts?
    /// The last valid value of the field `Host`. Nearly all requests of a connection have the same.
    private var knownHost = ""
    /// Whether the last valid request has a body.
    private(set) var hasBody = false

    init(_ limits: ConnectionLimits, _ allowedHosts: AllowedHosts?) {
      self.limits = limits
      self.allowedHosts = allowedHosts
    }

    mutating func problem(of head: HTTPRequestHead) -> Problem? {
      guard head.version.major == 1 else {
        return Problem(
          .httpVersionNotSupported, "this server speaks HTTP/1.1 only", refusal: .malformed)
      }
      guard head.uri.utf8.count <= limits.targetBytes else {
        return Problem(
          .uriTooLong, "a target has at most \(limits.targetBytes) bytes", refusal: .tooLarge)
      }
      hasBody = false
      let isOriginForm = head.uri.utf8.first == UInt8(ascii: "/")
      if isOriginForm, isOrdinary(head.headers) { return nil }
      let hosts = head.headers[canonicalForm: "host"]
      guard hosts.count == 1 || hosts.isEmpty && head.version.minor == 0,
        hosts.allSatisfy(Self.isAuthority)
      else {
        // RFC 9112, section 3.2.
        return Problem(
          .badRequest, "a request needs one Host field, with a host and an optional port",
          refusal: .malformed)
      }
      var authority = hosts.first
      if !isOriginForm, let named = RequestTarget.authority(of: head.uri) {
        // It replaces the field (RFC 9112, section 3.2.2).
        guard !named.isEmpty, Self.isAuthority(named) else {
          return Problem(
            .badRequest, "the target needs a host and an optional port after the scheme",
            refusal: .malformed)
        }
        authority = named
      }
      if let authority, let problem = problem(of: authority, head.uri) { return problem }
      let length = head.headers[canonicalForm: "content-length"]
      let isCoded = head.headers.contains(name: "transfer-encoding")
      if isCoded,
        head.headers[canonicalForm: "transfer-encoding"].last?.lowercased() != "chunked"
      {
        // The end of such a body is unknown (RFC 9112, section 6.3).
        return Problem(
          .badRequest, "the last transfer coding of a request is chunked", refusal: .malformed)
      }
      hasBody = isCoded || !length.allSatisfy { $0 == "0" }
      return hasBody ? Self.body(head) : nil
    }

    /// The problem of a host that is not allowed. Process monitors address a server in any way.
    private func problem(of authority: Substring, _ uri: String) -> Problem? {
      guard let allowedHosts, !allowedHosts.contains(authority) else { return nil }
      let path = RequestTarget(uri).map { "/" + $0.segments.joined(separator: "/") }
      if let path, Route(rawValue: path)?.isOpen == true { return nil }
      return Problem(
        .misdirectedRequest,
        "this server does not serve the host \(authority) on the loopback interface; start it with"
          + " --allow-host \(authority) to allow it", refusal: .host)
    }

    /// Whether there is exactly one host, which is allowed, and no body. Looking up the fields one
    /// by one takes a considerable part of a request's time.
    private mutating func isOrdinary(_ fields: HTTPHeaders) -> Bool {
      var hosts = 0
      for (name, value) in fields {
        switch name.utf8.count {
        case 4 where Self.isName(name, "host"):
          hosts += 1
          if !value.isEmpty, value == knownHost { continue }
          guard !value.isEmpty, Self.isAuthority(value[...]),
            allowedHosts?.contains(value) != false
          else { return false }
          knownHost = value
        case 14 where Self.isName(name, "content-length"),
          17 where Self.isName(name, "transfer-encoding"):
          return false
        default: break
        }
      }
      return hosts == 1
    }

    /// - Parameter lower: lower-case letters and hyphens. All have the bit set that distinguishes
    ///   the cases.
    private static func isName(_ name: String, _ lower: String) -> Bool {
      name.utf8.elementsEqual(lower.utf8) { $0 | 0x20 == $1 }
    }

    /// The problem of a body, which the server does not wait for.
    ///
    /// The body of a GET has no meaning (RFC 9110, section 9.3.1), but some clients send one. The
    /// response is then the last of the connection, so that no byte of the body is read as a
    /// request.
    private static func body(_ head: HTTPRequestHead) -> Problem? {
      switch head.method {
      case .GET, .HEAD: return nil
      case .OPTIONS:
        return Problem(
          .contentTooLarge, "a request for this resource must not have a body", refusal: .body)
      default:
        return Problem(
          .methodNotAllowed, "this server is read-only; use GET, HEAD or OPTIONS",
          fields: [.allow: "GET, HEAD, OPTIONS"], refusal: .notAllowed)
      }
    }

    // Its characters become part of links in responses.
    private static func isAuthority(_ text: Substring) -> Bool {
      text.utf8.allSatisfy { byte in
        switch Unicode.Scalar(byte) {
        case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~", ":", "[", "]", "%": true
        default: false
        }
      }
    }
  }

  extension Problem {
    /// The problem for what the decoder could not parse.
    ///
    /// - Parameter hasMethod: whether the request begins with a method of valid syntax.
    init(_ error: HTTPParserError, hasMethod: Bool) {
      switch error {
      case .invalidMethod where hasMethod:
        self.init(
          .notImplemented, "this server does not know the method; use GET, HEAD or OPTIONS",
          refusal: .notAllowed)
      case .headerOverflow:
        self.init(
          .requestHeaderFieldsTooLarge, "the head of the request is too large", refusal: .tooLarge)
      case .invalidVersion:
        self.init(.httpVersionNotSupported, "this server speaks HTTP/1.1 only", refusal: .malformed)
      default: self.init(.badRequest, "the request is not valid HTTP/1.1", refusal: .malformed)
      }
    }
  }
#endif
