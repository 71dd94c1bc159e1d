#if Server
  import Hummingbird

  /// Adds the page that people read, `GET /` and what is below `/page/`.
  func addPageRoutes(to router: Router<some RequestContext>, _ context: ServerContext) {
  }
#endif
