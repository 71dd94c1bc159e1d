#if Server
  import FeedPresentation
  import FeedStorage

  extension FeedPages {
    /// The list of feeds: those in the store, and those with a configured service.
    func home(_ request: PageRequest) throws -> HTTPAnswer {
      // Comments on one image are shown with the image.
      let feeds = try context.store.database.feeds().filter { feed in
        feed.kind != "comments" || !feed.name.text.hasPrefix("comments-")
      }
      let tag = request.tag(feeds.map { ($0.generation, $0.referenceSeconds) })
      if request.has(tag) { return HTTPAnswer(unchanged: tag) }
      let stored = Set(feeds.map(\.name))
      let views: [FeedView] =
        feeds.map { feedView($0, request) }
        + context.sources.keys.filter { !stored.contains($0) }.map { name in
          FeedView(
            title: title(of: name, kind: name.text, request),
            address: PageAddress.list(name).text, notes: [request.text[.feedNotLoaded]])
        }
      let view = HomeView(
        page: PageFrame(request.text, trail: [.home]), heading: request.reader.feeds.title,
        hasFeeds: !views.isEmpty,
        feeds: views.sorted { $0.title.lowercased() < $1.title.lowercased() })
      return try answer(view, .home, tag: tag, request)
    }

    private func feedView(_ feed: FeedDescription, _ request: PageRequest) -> FeedView {
      let presenter = request.reader.feeds
      let title = title(of: feed.name, kind: feed.kind, request)
      let kind = presenter.title(ofKind: feed.kind)
      return FeedView(
        title: title, address: PageAddress.list(feed.name).text,
        notes: (kind == title ? [] : [kind])
          + [presenter.count(feed.recordCount), presenter.updated(feed.timestamp)])
    }
  }
#endif
