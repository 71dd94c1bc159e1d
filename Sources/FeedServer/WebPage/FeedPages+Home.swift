#if Server
  import FeedPresentation
  import FeedRecord
  import FeedSchema
  import FeedStorage

  extension FeedPages {
    /// More feeds are listed without their first records.
    private static let maximumPreviews = 100
    /// The number of values in a preview.
    private static let previewValues = 4

    /// The list of feeds: those in the store, and those with a configured service.
    func home(_ request: PageRequest) async throws -> HTTPAnswer {
      // Comments on one image are shown with the image, and answers to queries are not shown.
      let feeds = try context.store.database.feeds().filter { feed in
        let isComments = feed.presetName == "comments" && feed.name.text.hasPrefix("comments-")
        return !isComments && context.feeds.passedQueries?.isAnswer(feed) != true
      }
      let tag = request.tag(feeds.map { ($0.generation, $0.referenceSeconds) })
      if request.has(tag) { return HTTPAnswer(unchanged: tag) }
      let stored = Set(feeds.map(\.name))
      let previews = await withTaskExecutorPreference(SearchThreads.shared) {
        await firstLines(of: feeds.prefix(Self.maximumPreviews).map(\.name), request.reader)
      }
      let views: [FeedView] =
        feeds.map { feedView($0, previews[$0.name], request) }
        + context.sources.keys.filter { !stored.contains($0) }.map { name in
          FeedView(
            title: title(of: name, kind: name.text, request),
            address: PageAddress.list(name).text, notes: [request.text[.feedNotLoaded]])
        }
      let view = HomeView(
        page: PageFrame(request.text, trail: [.home]), heading: request.reader.feeds.title,
        hasFeeds: !views.isEmpty,
        feeds: views.sorted { $0.title.lowercased() < $1.title.lowercased() },
        apiTitle: request.text[.apiDescription])
      return try answer(view, .home, tag: tag, request)
    }

    private func feedView(
      _ feed: FeedDescription, _ preview: String?, _ request: PageRequest
    ) -> FeedView {
      let presenter = request.reader.feeds
      let title = title(of: feed.name, kind: feed.kind, request)
      let kind = presenter.title(ofKind: feed.kind)
      let schema = request.text[.feedSchema]
      return FeedView(
        title: title, address: PageAddress.list(feed.name).text,
        notes: (kind == title ? [] : [kind]) + [
          presenter.count(feed.recordCount), presenter.size(feed.storedBytes),
          presenter.updated(feed.timestamp),
        ], preview: preview,
        links: [
          FormatView(
            title: "JSON", label: "JSON: \(title)", type: "application/json",
            address: "/feeds/\(feed.name)"),
          FormatView(
            title: schema, label: "\(schema): \(title)", type: "application/schema+json",
            address: "/feeds/\(feed.name)/schema"),
        ], hasLinks: true)
    }

    /// The first record of each feed, as a line.
    @concurrent
    private func firstLines(
      of names: [FeedName], _ reader: PageReader
    ) async -> [FeedName: String] {
      var previews: [FeedName: String] = [:]
      for name in names {
        // A feed that cannot be read does not hide the others.
        guard let feed = try? context.store.database.feed(named: name, isRequest: false)
        else { continue }
        previews[name] = try? Self.preview(of: feed, reader)
      }
      return previews
    }

    private static func preview(
      of feed: Feed, _ reader: PageReader
    ) throws(StoreError) -> String? {
      let display = try feed.display(for: reader)
      var line: String?
      try feed.scan { record, position throws(StoreError) in
        let item = try feed.listItem(record, at: position, as: display)
        let values = [item.title] + item.cells.filter { !$0.isEmpty }
        line = values.prefix(Self.previewValues).joined(separator: " · ")
        return false
      }
      return line
    }
  }
#endif
