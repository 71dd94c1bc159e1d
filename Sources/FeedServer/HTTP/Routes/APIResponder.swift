#if Server
  import HTTPTypes
  import Hummingbird
  import Logging

  /// Answers every request: those of the API by its own routes, all others by the web page's.
  struct APIResponder<Page: HTTPResponder>: HTTPResponder
  where Page.Context == ServerRequestContext {
    typealias Context = ServerRequestContext

    private static var methods: String { "GET, HEAD, OPTIONS" }
    private static var options: Response {
      Response(status: .noContent, headers: [.allow: methods])
    }

    private let context: ServerContext
    private let page: Page
    private let gate: Gatekeeper
    private let hot: HotAnswers
    private let feeds: FeedRoutes
    private let apps: AppRoutes
    private let images: ImageRoutes
    private let status: StatusRoutes

    init(_ context: ServerContext, _ hot: HotAnswers, page: Page) {
      self.context = context
      self.page = page
      self.hot = hot
      gate = Gatekeeper(context.configuration.credentials)
      feeds = FeedRoutes(context: context)
      apps = AppRoutes(context: context)
      images = ImageRoutes(context: context)
      status = StatusRoutes(context: context)
    }

    func respond(to request: Request, context page: ServerRequestContext) async throws -> Response {
      let began = ContinuousClock.now
      var template = "other"
      var response: Response
      do {
        if request.method == .options, request.head.path == "*" { return Self.options }
        guard let target = RequestTarget(request.head.path ?? "") else {
          throw Problem(.badRequest, "the target is no path and query", refusal: .malformed)
        }
        let route = Route(target.segments)
        template = route?.template ?? "page"
        response = try await respond(to: request, target, route, page)
      } catch {
        response = refuse(error, request.method)
      }
      // The client has disconnected.
      let outcome = Task.isCancelled ? "cancelled" : "\(response.status.code)"
      context.metrics.count(request: template, outcome: outcome, over: .http)
      context.metrics.observe(ContinuousClock.now - began)
      return response
    }

    private func respond(
      to request: Request, _ target: RequestTarget, _ route: Route?, _ page: ServerRequestContext
    ) async throws -> Response {
      if route?.isOpen != true { try gate.admit(request.headers) }
      switch request.method {
      case .options:
        return Self.options
      case .get, .head: break
      default:
        throw Problem(
          .methodNotAllowed, "there is nothing to change here", fields: [.allow: Self.methods],
          refusal: .notAllowed)
      }
      guard let route else { return try await respondByPage(to: request, page) }
      let asked = APIRequest(
        method: request.method, target: target, fields: request.headers,
        authority: request.head.authority ?? "localhost",
        publicURL: context.configuration.publicURL)
      let answer = try await answer(asked, route)
      let response = Response(
        request.method == .head ? answer.withoutBody : answer, pace: ClientPace(page.channel))
      hot.keep(answer, for: asked, route)
      return response
    }

    private func answer(_ request: APIRequest, _ route: Route) async throws -> HTTPAnswer {
      switch route {
      case .feeds: try await feeds.list(request)
      case .feed(let name): try await feeds.feed(name, request)
      case .record(let name, let key): try await feeds.record(name, key, request)
      case .image: try await images.image(request)
      case .imageFeed: try await apps.images(request)
      case .comments(let id): try await apps.comments(id, request)
      case .universities: try await apps.universities(request)
      case .characters: try await apps.characters(request)
      case .headlines: try await apps.headlines(request)
      case .health: status.health()
      case .readiness: status.readiness()
      case .metrics: status.metrics()
      case .description: try await status.description(request)
      }
    }

    /// The page supports only GET; HEAD is the same without the body.
    private func respondByPage(
      to request: Request, _ page: ServerRequestContext
    ) async throws -> Response {
      var head = request.head
      head.method = .get
      let response: Response
      do {
        response = try await self.page.respond(
          to: Request(head: head, body: request.body), context: page)
      } catch let error as HTTPError {
        throw Problem(error.status, error.body ?? "there is nothing here")
      }
      guard response.status != .notFound || response.body.contentLength ?? 0 > 0 else {
        throw Problem.notFound("there is nothing here")
      }
      return request.method == .head ? response.withoutBody : response
    }

    private func refuse(_ error: any Error, _ method: HTTPRequest.Method) -> Response {
      let problem = Problem(error)
      if let refusal = problem.refusal { context.metrics.count(refusal: refusal, of: .http) }
      if problem.status.kind == .serverError, !Task.isCancelled {
        context.logger.warning("\(problem.status): \(error)")
      }
      return Response(method == .head ? problem.answer.withoutBody : problem.answer)
    }
  }
#endif
