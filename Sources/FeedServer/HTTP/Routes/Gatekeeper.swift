#if Server
  import HTTPTypes
  import Hummingbird

  /// Refuses clients without credentials, and methods that would change something.
  ///
  /// Credentials come by the Basic scheme (RFC 7617) or the Bearer scheme (RFC 6750). Without
  /// configured credentials, every client is admitted.
  struct Gatekeeper: RouterMiddleware {
    private static let methods = "GET, HEAD, OPTIONS"
    private let authentication: HTTPAuthentication
    private let allowsOtherOrigins: Bool

    init(_ server: ServerContext) {
      authentication = HTTPAuthentication(server)
      allowsOtherOrigins = server.configuration.allowedOrigin != nil
    }

    func handle(
      _ request: Request, context: ServerRequestContext,
      next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
      let options = Response(status: .noContent, headers: [.allow: Self.methods])
      if context.method == .options, request.head.path == "*" { return options }
      let segments = try context.requireTarget().segments
      if allowsOtherOrigins, context.method == .options, request.headers.isPreflight {
        return Response(status: .noContent, headers: .preflight(allowing: Self.methods))
      }
      if context.route?.isOpen != true {
        try await authentication.admit(request.headers, on: context.channel)
      }
      switch context.method {
      case .options: return options
      case .get, .head: break
      default:
        throw Problem(
          .methodNotAllowed, "this server is read-only; use GET, HEAD or OPTIONS",
          fields: [.allow: Self.methods],
          refusal: .notAllowed)
      }
      // The router ignores empty segments. Only the links of the characters' own service and the
      // parts of keys have one.
      if segments.count > 1, segments.contains(""), segments != ["api", "character", ""],
        Route.record(segments) == nil
      {
        throw Problem.notFound("there is nothing here")
      }
      return try await next(request, context)
    }
  }

  extension HTTPFields {
    /// Whether it is a preflight request: a browser asks which requests a page of another origin
    /// may send (Fetch, section 3.2). Such a request never has credentials.
    fileprivate var isPreflight: Bool {
      guard let method = HTTPField.Name("Access-Control-Request-Method") else { return false }
      return contains(.origin) && contains(method)
    }

    fileprivate static func preflight(allowing methods: String) -> HTTPFields {
      var fields: HTTPFields = [.allow: methods]
      fields.set("Access-Control-Allow-Methods", methods)
      // The asterisk does not include `Authorization`.
      fields.set("Access-Control-Allow-Headers", "*, Authorization")
      fields.set("Access-Control-Max-Age", "3600")
      return fields
    }
  }
#endif
