#if Server
  import HTTPTypes
  import Hummingbird

  /// The router of all requests, those for the API and those for the web page.
  func makeRouter(
    _ context: ServerContext, _ cache: ResponseCache
  ) -> Router<ServerRequestContext> {
    let router = Router(context: ServerRequestContext.self)
    router.add(middleware: RequestReporter(context))
    router.add(middleware: Gatekeeper(context))
    addAPIRoutes(to: APIRouter(router: router, context: context, cache: cache), context)
    addPageRoutes(to: router, context)
    return router
  }

  private func addAPIRoutes(to router: APIRouter, _ context: ServerContext) {
    let feeds = FeedRoutes(context: context)
    let apps = AppRoutes(context: context)
    let images = ImageRoutes(context: context)
    let status = StatusRoutes(context: context)
    router.add(.feeds) { try await feeds.list($0) }
    router.add(.feed) { try await feeds.feed($0.segment(1), $0) }
    router.add(.schema) { try await feeds.schema($0.segment(1), $0) }
    router.add(.count) { try await feeds.count($0.segment(1), $0) }
    router.add(.distinct) { try await feeds.distinct($0.segment(1), $0) }
    router.add(.record) { try await feeds.record($0) }
    router.add(.image) { try await images.image($0) }
    router.add(.imageFeed) { try await apps.images($0) }
    router.add(.comments) { try await apps.comments($0.segment(2), $0) }
    router.add(.universities) { try await apps.universities($0) }
    router.add(.characters) { try await apps.characters($0) }
    router.add(.headlines) { try await apps.headlines($0) }
    router.add(.health) { _ in status.health() }
    router.add(.readiness) { _ in status.readiness() }
    router.add(.metrics) { _ in status.metrics() }
    router.add(.description) { try await status.description($0) }
  }

  /// Adds the routes of the API, whose responses may be cached.
  private struct APIRouter {
    let router: Router<ServerRequestContext>
    let context: ServerContext
    let cache: ResponseCache

    func add(_ route: Route, _ answer: @escaping @Sendable (APIRequest) async throws -> HTTPAnswer)
    {
      let (cache, publicURL) = (cache, context.configuration.publicURL)
      let common = context.commonFields
      for path in route.paths {
        router.get(RouterPath(path)) { request, context in
          let target = try context.requireTarget()
          let asked = APIRequest(
            method: context.method, target: target, fields: request.headers,
            authority: request.head.authority ?? "localhost", publicURL: publicURL)
          try asked.checkParameters(of: route)
          var made = try await answer(asked).adding(common)
          made.fields.set("X-FeedCore-Ignored", asked.ignoredNames(of: route))
          let response = Response(made, backpressure: Backpressure(context.channel))
          cache.insert(made, for: asked, route)
          return response
        }
      }
    }
  }
#endif
