#if Server
  import HTTPTypes
  import Hummingbird
  import Logging

  /// Adds the web page: `GET /`, the paths below `/page/`, and the assets.
  func addPageRoutes(to router: Router<ServerRequestContext>, _ context: ServerContext) {
    let pages: FeedPages
    do {
      pages = try FeedPages(context)
    } catch {
      context.logger.critical("there is no page: \(error)")
      return
    }
    for path: RouterPath in ["/", "/page/:feed", "/page/:feed/record"] {
      router.get(path) { request, page in
        let answer = await pages.answer(
          try page.requireTarget(), acceptLanguage: request.headers.all(.acceptLanguage),
          ifNoneMatch: request.headers.all(.ifNoneMatch))
        return Response(try answer.packed(for: request))
      }
    }
    router.get("/assets/:name") { request, _ in
      guard let asset = PageAssets.all.asset(at: request.uri.path) else {
        throw Problem.notFound("there is nothing here")
      }
      return Response(try HTTPAnswer(asset).packed(for: request))
    }
  }

  extension HTTPAnswer {
    /// The same response in the coding that the client prefers.
    fileprivate func packed(for request: Request) throws -> HTTPAnswer {
      guard status != .notModified else { return self }
      return try packed(ContentCoding(acceptEncoding: request.headers.all(.acceptEncoding)))
    }
  }
#endif
