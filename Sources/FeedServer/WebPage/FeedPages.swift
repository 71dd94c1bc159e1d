#if Server
  import FeedPresentation
  import FeedStorage
  import HTTPTypes
  import Logging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The web pages: the feeds, the list of each, and each record.
  ///
  /// They work without scripts and use the language of the reader.
  struct FeedPages: Sendable {
    let context: ServerContext
    let scans: PageScans
    private let templates: PageTemplates
    private let calendar: Calendar
    private let currentDate: @Sendable () -> Date

    /// - Throws: an error of the template parser if a template is malformed.
    init(
      _ context: ServerContext, calendar: Calendar = .current,
      scans: PageScans = PageScans(), currentDate: @escaping @Sendable () -> Date = { Date() }
    ) throws {
      self.context = context
      self.scans = scans
      self.calendar = calendar
      self.currentDate = currentDate
      templates = try PageTemplates()
    }

    /// Answers a GET request.
    ///
    /// - Parameters:
    ///   - target: the target of the request.
    ///   - acceptLanguage: the field `Accept-Language`.
    ///   - ifNoneMatch: the field `If-None-Match`.
    func answer(
      _ target: RequestTarget, acceptLanguage: String?, ifNoneMatch: String?
    ) async -> HTTPAnswer {
      let request = PageRequest(
        target: target,
        reader: PageReader(
          Language(acceptLanguage: acceptLanguage), calendar: calendar, now: currentDate()),
        known: ifNoneMatch.map { EntityTagList($0) }, version: templates.version)
      do {
        switch PageAddress(target) {
        case .home: return try await home(request)
        case .list(let name, let query): return try await list(name, query, request)
        case .record(let name, let key): return try await records(of: name, key: key, request)
        case nil: return missing(request)
        }
      } catch {
        // A request whose client has disconnected is not an error.
        if !Task.isCancelled {
          context.logger.error("a page could not be made", metadata: ["error": "\(error)"])
        }
        let alert = AlertView(message: request.text[.otherError], explanation: nil)
        return message(.internalServerError, "FeedCore", alert, request)
      }
    }

    /// A response with a page.
    ///
    /// - Parameter tag: distinguishes it from others; nil if it must not be stored.
    func answer(
      _ view: some Sendable, _ template: PageTemplates.Template,
      _ status: HTTPResponse.Status = .ok, tag: EntityTag?, _ request: PageRequest
    ) throws -> HTTPAnswer {
      HTTPAnswer(
        html: try templates.render(view, as: template), status,
        language: request.text.language.rawValue, tag: tag)
    }

    /// A page that only explains why there is nothing to show, and where to continue.
    func message(
      _ status: HTTPResponse.Status, _ heading: String, _ alert: AlertView?,
      further: LinkView? = nil, _ request: PageRequest
    ) -> HTTPAnswer {
      let view = MessageView(
        page: PageFrame(request.text, trail: [.home, TrailView(title: heading)]),
        heading: heading, alert: alert,
        further: further ?? LinkView(title: request.reader.feeds.title, address: .home))
      return HTTPAnswer(
        html: (try? templates.render(view, as: .message)) ?? heading, status,
        language: request.text.language.rawValue, tag: nil)
    }

    func missing(_ request: PageRequest) -> HTTPAnswer {
      message(.notFound, request.text[.notFoundError], nil, request)
    }

    /// The title of a feed.
    func title(of name: FeedName, kind: String, _ request: PageRequest) -> String {
      request.reader.feeds.title(ofFeed: name.text, kind: kind)
    }
  }
#endif
