#if Server
  import FeedAPI
  import FeedSchema
  import FeedPresentation
  import FeedRecord
  import FeedStorage
  import HTTPTypes

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension FeedPages {
    /// The maximum number of records with one key on a page.
    private static let recordLimit = 20

    /// The records of a feed with a key, and the comments on an image.
    func records(
      of name: FeedName, key: String, _ request: PageRequest
    ) async throws -> HTTPAnswer {
      let served: Feed
      do {
        served = try await context.feeds.storedFeed(named: name)
      } catch let problem as Problem {
        if problem.status == .notFound { return missing(request) }
        return unavailable(name, LoadFailure(ofLoad: problem), ListQuery(), request)
      }
      guard let bytes = served.keyBytes(ofText: key) else { return missing(request) }
      let feed = served.description
      let comments = try await commentsView(on: key, in: served, request)
      let tag =
        comments == nil ? request.tag([(feed.generation, feed.referenceSeconds)]) : nil
      if let tag, request.has(tag) { return HTTPAnswer(unchanged: tag) }
      var reader = request.reader
      reader.base = feed.baseURL
      let page = try served.display(for: reader)
      let details = try details(of: served, keyBytes: bytes, page)
      guard let first = details.first else { return missing(request) }
      let list = TrailView(
        title: title(of: name, kind: feed.kind, request), address: PageAddress.list(name).text)
      let view = DetailView(
        page: PageFrame(
          request.text, trail: [.home, list, TrailView(title: first.title)],
          alternates: .record(name, key: key)),
        records: details.enumerated().map { index, detail in
          RecordDetailView(detail, style: page.style, isFirst: index == 0)
        },
        comments: comments, actions: actions(of: served, key: key, request))
      return try answer(view, .detail, tag: tag, request)
    }

    /// The JSON of a document, and its own address.
    private func actions(
      of feed: Feed, key: String, _ request: PageRequest
    ) -> RecordActionsView? {
      guard feed.schema.document != nil else { return nil }
      let name = feed.description.name
      return RecordActionsView(
        json: "/feeds/\(name)/records/\(key.queryEscaped)", jsonTitle: request.text[.rawRecord],
        permalink: PageAddress.record(name, key: key).text,
        permalinkTitle: request.text[.permalink], copyTitle: request.text[.copy],
        copiedTitle: request.text[.copied])
    }

    private func details(
      of feed: Feed, keyBytes: [UInt8], _ page: any RecordDisplay
    ) throws(StoreError) -> [RecordDetail] {
      var details: [RecordDetail] = []
      _ = try feed.lookUp(keyBytes.span.bytes) { (record, position) throws(StoreError) in
        do throws(RecordError) {
          details.append(try page.detail(record))
        } catch {
          throw StoreError(error)
        }
        if feed.schema.document != nil, feed.description.presetName == nil {
          details[details.count - 1].title = try feed.title(of: record, at: position)
        }
        return details.count < Self.recordLimit
      }
      return details
    }

    /// Nil for records without comments, and if no service of comments is known.
    private func commentsView(
      on key: String, in feed: Feed, _ request: PageRequest
    ) async throws -> CommentsView? {
      guard feed.description.presetName == "feed", let id = UUID(uuidString: key) else {
        return nil
      }
      let presenter = ImageCommentsPresenter(
        text: request.text, calendar: request.reader.calendar,
        currentDate: { request.reader.now })
      do {
        guard let comments = try await context.comments(onImage: id, of: feed.description.name)
        else { return nil }
        let shown = presenter.map(comments).comments
        return CommentsView(
          heading: presenter.title, comments: shown, failure: nil,
          empty: shown.isEmpty ? request.text[.empty] : nil)
      } catch {
        return CommentsView(
          heading: presenter.title, comments: [],
          failure: request.text.message(for: LoadFailure(ofLoad: error)), empty: nil)
      }
    }
  }
#endif
