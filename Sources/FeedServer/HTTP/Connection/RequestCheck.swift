#if Server
  import HTTPTypes
  import NIOHTTP1

  /// Checks the head of a request, independent of its target.
  enum RequestCheck {
    static func problem(of head: HTTPRequestHead, _ limits: ConnectionLimits) -> Problem? {
      guard head.version.major == 1 else {
        return Problem(
          .httpVersionNotSupported, "this server speaks HTTP/1.1 only", refusal: .malformed)
      }
      guard head.uri.utf8.count <= limits.targetBytes else {
        return Problem(
          .uriTooLong, "a target has at most \(limits.targetBytes) bytes", refusal: .tooLarge)
      }
      if isOrdinary(head.headers) { return nil }
      let hosts = head.headers[canonicalForm: "host"]
      guard hosts.count == 1 || hosts.isEmpty && head.version.minor == 0,
        hosts.allSatisfy(isAuthority)
      else {
        // RFC 9112, section 3.2.
        return Problem(
          .badRequest, "a request needs one Host field, with a host and an optional port",
          refusal: .malformed)
      }
      let length = head.headers[canonicalForm: "content-length"]
      guard head.headers[canonicalForm: "transfer-encoding"].isEmpty,
        length.allSatisfy({ $0 == "0" })
      else { return body(head) }
      return nil
    }

    /// Whether there is exactly one host and no body. Looking up the fields one by one takes a
    /// considerable part of a request's time.
    private static func isOrdinary(_ fields: HTTPHeaders) -> Bool {
      var hosts = 0
      for (name, value) in fields {
        switch name.utf8.count {
        case 4 where isName(name, "host"):
          guard !value.isEmpty, isAuthority(value[...]) else { return false }
          hosts += 1
        case 14 where isName(name, "content-length"), 17 where isName(name, "transfer-encoding"):
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

    /// No resource accepts a body, and the server would wait for one that does not arrive.
    private static func body(_ head: HTTPRequestHead) -> Problem {
      switch head.method {
      case .GET, .HEAD, .OPTIONS:
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
    init(_ error: HTTPParserError) {
      switch error {
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
