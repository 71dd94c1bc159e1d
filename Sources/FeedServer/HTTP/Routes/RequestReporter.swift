#if Server
  import HTTPTypes
  import Hummingbird
  import Logging
  import NIOCore

  /// The context of a request in the router.
  ///
  /// The router finds resources by their paths alone: every request reaches it as a GET, with its
  /// own method here.
  struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection of the client.
    let channel: any Channel
    private(set) var method = HTTPRequest.Method.get
    /// Nil if the request names no path and query.
    private(set) var target: RequestTarget?

    init(source: ApplicationRequestContextSource) {
      coreContext = .init(source: source)
      channel = source.channel
    }

    /// Takes the method and the target of a request, and returns the request for the router.
    mutating func prepare(_ request: Request) -> Request {
      method = request.method
      target = RequestTarget(request.head.path ?? "")
      if method == .get { return request }
      var head = request.head
      head.method = .get
      return Request(head: head, body: request.body)
    }

    /// The resource of the API; nil for other paths.
    var route: Route? { endpointPath.flatMap { Route(path: $0) } }

    func requireTarget() throws(Problem) -> RequestTarget {
      guard let target else {
        throw Problem(
          .badRequest, "the target is not a path with an optional query", refusal: .malformed)
      }
      return target
    }
  }

  /// Counts requests, and responds to errors with problems.
  struct RequestReporter: RouterMiddleware {
    private let server: ServerContext

    init(_ server: ServerContext) { self.server = server }

    func handle(
      _ request: Request, context: ServerRequestContext,
      next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
      // `OPTIONS *` concerns the server as a whole and no resource, so it is not counted.
      if context.method == .options, request.head.path == "*" {
        return try await next(request, context)
      }
      let began = ContinuousClock.now
      var response: Response
      do {
        response = try await next(request, context)
      } catch {
        response = problem(error)
      }
      if context.method == .head { response = response.withoutBody }
      let route = context.target == nil ? "other" : context.route?.rawValue ?? "page"
      // The client of a cancelled task has disconnected.
      let outcome = Task.isCancelled ? "cancelled" : "\(response.status.code)"
      server.metrics.count(request: route, outcome: outcome, over: .http)
      server.metrics.observe(ContinuousClock.now - began)
      return response
    }

    private func problem(_ error: any Error) -> Response {
      let problem = Problem(error)
      if let refusal = problem.refusal { server.metrics.count(refusal: refusal, of: .http) }
      if problem.status.kind == .serverError, !Task.isCancelled {
        server.logger.warning("\(problem.status): \(error)")
      }
      return Response(problem.answer)
    }
  }
#endif
