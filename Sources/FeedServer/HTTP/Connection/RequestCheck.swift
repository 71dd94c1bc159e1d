#if Server
  import HTTPTypes
  import NIOHTTP1

  /// What can be wrong with the head of a request, whatever it is for.
  enum RequestCheck {
    static func problem(of head: HTTPRequestHead, _ limits: ConnectionLimits) -> Problem? {
      guard head.version.major == 1 else {
        return Problem(.httpVersionNotSupported, "HTTP/1.1 is spoken here", refusal: .malformed)
      }
      guard head.uri.utf8.count <= limits.targetBytes else {
        return Problem(
          .uriTooLong, "a target may have \(limits.targetBytes) bytes", refusal: .tooLarge)
      }
      let hosts = head.headers[canonicalForm: "host"]
      guard hosts.count == 1 || hosts.isEmpty && head.version.minor == 0,
        hosts.allSatisfy(isAuthority)
      else {
        // RFC 9112, section 3.2.
        return Problem(
          .badRequest, "a request has one field Host, which names a host and a port",
          refusal: .malformed)
      }
      let length = head.headers[canonicalForm: "content-length"]
      guard head.headers[canonicalForm: "transfer-encoding"].isEmpty,
        length.allSatisfy({ $0 == "0" })
      else { return body(head) }
      return nil
    }

    /// Nothing here takes a body, and one that does not come would be waited for.
    private static func body(_ head: HTTPRequestHead) -> Problem {
      switch head.method {
      case .GET, .HEAD, .OPTIONS:
        return Problem(.contentTooLarge, "a request for this has no body", refusal: .body)
      default:
        return Problem(
          .methodNotAllowed, "there is nothing to change here",
          fields: [.allow: "GET, HEAD, OPTIONS"], refusal: .notAllowed)
      }
    }

    // Its characters go into links of answers.
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
    /// What the decoder could not read.
    init(_ error: HTTPParserError) {
      switch error {
      case .headerOverflow:
        self.init(
          .requestHeaderFieldsTooLarge, "the head of the request is too large", refusal: .tooLarge)
      case .invalidVersion:
        self.init(.httpVersionNotSupported, "HTTP/1.1 is spoken here", refusal: .malformed)
      default: self.init(.badRequest, "this is no request of HTTP/1.1", refusal: .malformed)
      }
    }
  }
#endif
