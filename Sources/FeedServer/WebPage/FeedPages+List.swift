#if Server
  import FeedAPI
  import FeedSchema
  import FeedPresentation
  import FeedStorage
  import HTTPTypes

  extension FeedPages {
    /// A part of a feed's list, or the reason why there is none.
    func list(
      _ name: FeedName, _ query: ListQuery, _ request: PageRequest
    ) async throws -> HTTPAnswer {
      let current: LoadedFeed
      do {
        guard let found = try await feed(named: name, query) else { return missing(request) }
        current = found
      } catch let failure as LoadFailure {
        return unavailable(name, failure, query, request)
      }
      let feed = current.feed.description
      if let position = query.position, position.generation != feed.generation {
        return replaced(feed, query, request)
      }
      let tag =
        current.failure == nil
        ? request.tag([(feed.generation, feed.referenceSeconds)]) : nil
      if let tag, request.has(tag) { return HTTPAnswer(unchanged: tag) }
      let part = try await part(of: current.feed, query, request)
      let view = view(of: part, query, alert(current, request), request)
      return try answer(view, .list, tag: tag, request)
    }

    /// The first part of a list comes from the service's latest feed, later parts from the stored
    /// one. Nil if there is no such feed.
    ///
    /// - Throws: ``LoadFailure`` if there is nothing to show.
    private func feed(named name: FeedName, _ query: ListQuery) async throws -> LoadedFeed? {
      do {
        if query.position != nil {
          return LoadedFeed(feed: try context.feeds.storedFeed(named: name), failure: nil)
        }
        return try await context.feeds.feed(named: name, isLatest: query.refreshes)
      } catch let problem as Problem where problem.status == .notFound {
        return nil
      } catch let error as StoreError {
        throw error
      } catch {
        throw LoadFailure(ofLoad: error)
      }
    }

    /// A filter reads for a while, so it runs on a search thread.
    private func part(
      of feed: Feed, _ query: ListQuery, _ request: PageRequest
    ) async throws -> ListPart {
      try await withTaskExecutorPreference(query.filter.isEmpty ? nil : SearchThreads.shared) {
        try await Self.read(feed, query, request.reader)
      }
    }

    @concurrent
    private static func read(
      _ feed: Feed, _ query: ListQuery, _ reader: PageReader
    ) async throws -> ListPart {
      let schema = feed.schema
      var reader = reader
      reader.base = feed.description.baseURL
      return try ListPart(
        of: feed, schema, from: query.position?.position ?? 0, filter: query.filter,
        as: try feed.display(for: reader))
    }

    private func view(
      of part: ListPart, _ query: ListQuery, _ alert: AlertView?, _ request: PageRequest
    ) -> ListView {
      let (feed, presenter) = (part.feed, request.reader.feeds)
      let heading = title(of: feed.name, kind: feed.kind, request)
      return ListView(
        page: PageFrame(
          request.text, trail: [.home, TrailView(title: heading)], alternates: .list(feed.name)),
        heading: heading, alert: alert, address: PageAddress.list(feed.name).text,
        refreshAddress: PageAddress.list(
          feed.name, ListQuery(filter: query.filter, refreshes: true)
        ).text,
        filter: query.filter, style: part.style.rawValue,
        titles: part.titles, isTable: !part.titles.isEmpty,
        notes: [presenter.count(feed.recordCount), presenter.updated(feed.timestamp)],
        hasItems: !part.items.isEmpty,
        items: part.items.map { ItemView($0, of: feed.name) },
        added: part.items.isEmpty ? "" : presenter.added(part.items.count),
        outcome: outcome(part, query, request), further: further(part, query, request),
        others: others(feed.name, query, request))
    }

    private func outcome(
      _ part: ListPart, _ query: ListQuery, _ request: PageRequest
    ) -> String {
      if part.next != nil { return "" }
      if !part.items.isEmpty || query.position != nil { return request.text[.end] }
      return query.filter.isEmpty
        ? request.text[.empty] : request.reader.feeds.noMatch(query.filter)
    }

    private func further(
      _ part: ListPart, _ query: ListQuery, _ request: PageRequest
    ) -> LinkView? {
      part.next.map { offset in
        let position = PageCursor(generation: part.feed.generation, position: offset)
        return LinkView(
          title: request.text[part.items.count < ListPart.size ? .searchOn : .loadMore],
          address: .list(part.feed.name, ListQuery(position: position, filter: query.filter)))
      }
    }

    private func others(
      _ name: FeedName, _ query: ListQuery, _ request: PageRequest
    ) -> [LinkView] {
      var links: [LinkView] = []
      if query.position != nil {
        links.append(
          LinkView(
            title: request.text[.startAgain],
            address: .list(name, ListQuery(filter: query.filter))))
      }
      if !query.filter.isEmpty {
        links.append(LinkView(title: request.text[.showAll], address: .list(name)))
      }
      return links
    }

    private func alert(
      _ current: LoadedFeed, _ request: PageRequest
    ) -> AlertView? {
      current.failure.map { error in
        AlertView(
          message: request.text.message(for: LoadFailure(ofLoad: error)),
          explanation: request.reader.feeds.saved(current.feed.description.timestamp))
      }
    }

    /// The page for the scenarios with neither connectivity nor a valid cache.
    func unavailable(
      _ name: FeedName, _ failure: LoadFailure, _ query: ListQuery, _ request: PageRequest
    ) -> HTTPAnswer {
      let cached = try? context.store.database.feedDescription(named: name)
      let cache: LoadFailure = (cached?.recordCount ?? 0) == 0 ? .emptyCache : .expiredCache
      let alert = AlertView(
        message: request.text.message(for: failure),
        explanation: failure == cache ? nil : request.text.message(for: cache))
      let retry = LinkView(
        title: request.text[.retry],
        address: .list(name, ListQuery(filter: query.filter, refreshes: true)))
      return message(
        .serviceUnavailable, title(of: name, kind: cached?.kind ?? name.text, request), alert,
        further: retry, request)
    }

    /// The list that the client was reading is gone and cannot be continued.
    private func replaced(
      _ feed: FeedDescription, _ query: ListQuery, _ request: PageRequest
    ) -> HTTPAnswer {
      let start = LinkView(
        title: request.text[.startAgain],
        address: .list(feed.name, ListQuery(filter: query.filter)))
      return message(
        .gone, title(of: feed.name, kind: feed.kind, request),
        AlertView(message: request.text[.replaced], explanation: nil), further: start, request)
    }
  }

  extension LoadFailure {
    /// What a failed load means to a customer.
    init(ofLoad error: any Error) {
      switch error {
      case let problem as Problem where problem.status == .gone: self = .expiredCache
      // The store of this server, and no service.
      case is StoreError, is Problem: self = .other
      default: self.init(error)
      }
    }
  }
#endif
