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
      context.logger.critical("the web page is not available: \(error)")
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

  // Responses with pages and their assets.
  extension HTTPAnswer {
    /// A page. Browsers store it and revalidate it for each use.
    ///
    /// - Parameter tag: distinguishes the page from any other at its address; nil for a page that
    ///   reports a failure, which must not be reused.
    init(html: String, _ status: HTTPResponse.Status, language: String, tag: EntityTag?) {
      var fields = Self.safety
      fields[.contentType] = "text/html; charset=utf-8"
      fields[.contentLanguage] = language
      fields.addValidators(tag)
      self.init(status, fields: fields, body: .bytes(Array(html.utf8)))
    }

    /// A response that the page with this tag is current.
    init(unchanged tag: EntityTag) {
      var fields = HTTPFields()
      fields.addValidators(tag)
      self.init(.notModified, fields: fields)
    }

    /// An asset of the pages.
    init(_ asset: PageAssets.Asset) {
      var fields = Self.safety
      fields[.contentType] = asset.contentType
      fields[.vary] = "Accept-Encoding"
      fields[.cacheControl] = "public, max-age=31536000, immutable"
      self.init(fields: fields, body: .bytes(asset.bytes))
    }

    /// The page loads and runs only content of this server. It cannot send data elsewhere, and
    /// other pages cannot embed it.
    private static var safety: HTTPFields {
      var fields = HTTPFields()
      fields[.contentSecurityPolicy] =
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        + "object-src 'none'"
      fields[.xContentTypeOptions] = "nosniff"
      fields.set("Referrer-Policy", "no-referrer")
      return fields
    }
  }

  extension HTTPFields {
    fileprivate mutating func addValidators(_ tag: EntityTag?) {
      self[.eTag] = tag?.field
      self[.vary] = "Accept-Language, Accept-Encoding"
      self[.cacheControl] = tag == nil ? "no-store" : "no-cache"
    }
  }
#endif
