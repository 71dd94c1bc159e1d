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
      let compiled: CompiledListQuery
      do throws(CompiledListQuery.Fault) {
        compiled = try CompiledListQuery(query, for: current.feed)
      } catch {
        let view = try faultView(error, current, query, request)
        return try answer(view, .list, .badRequest, tag: nil, request)
      }
      let found: ListPart?
      do {
        found = try await part(of: current.feed, query, compiled, request)
      } catch let error as StoreError where error.code == .replaced {
        return replaced(feed, query, request)
      }
      guard let part = found else { return busy(feed, query, request) }
      // A list that could not be sorted must not be shown as sorted.
      var shown = query
      if part.isUnsorted { shown.sort = nil }
      let view = view(
        of: part, ListLinks(feed: current.feed, query: shown, reader: request.reader),
        alert(current, part, request), request)
      return try answer(view, .list, tag: part.isUnsorted ? nil : tag, request)
    }

    /// The first part of a list comes from the service's latest feed, later parts from the stored
    /// one. Nil if there is no such feed.
    ///
    /// - Throws: ``LoadFailure`` if there is nothing to show.
    private func feed(named name: FeedName, _ query: ListQuery) async throws -> LoadedFeed? {
      do {
        if query.position != nil {
          return LoadedFeed(feed: try await context.feeds.storedFeed(named: name), failure: nil)
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

    /// Reads a part of a list. A search or a sort takes time, so it runs on a search thread. Nil if
    /// too many others wait, or the part takes too long.
    private func part(
      of feed: Feed, _ query: ListQuery, _ compiled: CompiledListQuery, _ request: PageRequest
    ) async throws -> ListPart? {
      let reader = request.reader
      guard query.isSearch || compiled.order != nil else {
        return try await Self.read(feed, query, compiled, reader)
      }
      do {
        return try await scans.run { limits in
          try Self.read(feed, query, compiled, reader, limits)
        }
      } catch let error as StoreError where error.code == .limitExceeded {
        return nil
      }
    }

    @concurrent
    private static func read(
      _ feed: Feed, _ query: ListQuery, _ compiled: CompiledListQuery, _ reader: PageReader
    ) async throws -> ListPart {
      try read(feed, query, compiled, reader, .none)
    }

    private static func read(
      _ feed: Feed, _ query: ListQuery, _ compiled: CompiledListQuery, _ reader: PageReader,
      _ limits: QueryLimits
    ) throws(StoreError) -> ListPart {
      var reader = reader
      reader.base = feed.description.baseURL
      return try ListPart(
        of: feed, query, compiled, as: try feed.display(for: reader, asked: compiled.paths), limits)
    }

    private func view(
      of part: ListPart, _ links: ListLinks, _ alert: AlertView?, _ request: PageRequest
    ) -> ListView {
      let (feed, presenter, query) = (part.feed, request.reader.feeds, links.query)
      let matches = part.matches.map { [presenter.matches($0.count, isWhole: $0.isWhole)] } ?? []
      let facets = links.facets
      return ListView(
        page: frame(feed, request), heading: title(of: feed.name, kind: feed.kind, request),
        alert: alert, address: PageAddress.list(feed.name).text,
        refreshAddress: PageAddress.list(feed.name, query.first { $0.refreshes = true }).text,
        filter: query.filter, kept: ParameterView.kept(query, except: "filter"),
        condition: links.conditionForm(part.columns), chips: links.chips,
        hasChips: !links.chips.isEmpty, facets: facets, hasFacets: !facets.isEmpty,
        style: part.style.rawValue, columns: links.columns(part.columns),
        isTable: !part.columns.isEmpty,
        notes: matches + [presenter.count(feed.recordCount), presenter.updated(feed.timestamp)],
        hasItems: !part.items.isEmpty,
        items: part.items.map { ItemView($0, of: feed.name, in: part.columns) },
        added: part.items.isEmpty ? "" : presenter.added(part.items.count),
        outcome: outcome(part, query, request), further: further(part, query, request),
        others: others(feed.name, query, request), pager: links.pager(part))
    }

    /// The page for a query that cannot be compiled: its conditions, without items.
    private func faultView(
      _ fault: CompiledListQuery.Fault, _ current: LoadedFeed, _ query: ListQuery,
      _ request: PageRequest
    ) throws -> ListView {
      let feed = current.feed.description
      // The valid conditions and the valid order are kept.
      var query = query
      query.conditions.removeAll { $0 == fault.condition }
      if fault.condition == nil { query.sort = nil }
      let links = ListLinks(feed: current.feed, query: query, reader: request.reader)
      let facets = links.facets
      let columns = try current.feed.display(for: request.reader).columns
      let alert =
        fault.condition == nil
        ? AlertView(message: request.text[.invalidOrder], explanation: fault.reason) : nil
      return ListView(
        page: frame(feed, request), heading: title(of: feed.name, kind: feed.kind, request),
        alert: alert, address: PageAddress.list(feed.name).text,
        refreshAddress: PageAddress.list(feed.name, query.first { $0.refreshes = true }).text,
        filter: query.filter, kept: ParameterView.kept(query, except: "filter"),
        condition: links.conditionForm(columns, fault),
        chips: links.chips, hasChips: !links.chips.isEmpty, facets: facets,
        hasFacets: !facets.isEmpty,
        style: "", columns: [], isTable: false, notes: [], hasItems: false, items: [], added: "",
        outcome: "", further: nil,
        others: [LinkView(title: request.text[.showAll], address: .list(feed.name))], pager: nil)
    }

    private func frame(_ feed: FeedDescription, _ request: PageRequest) -> PageFrame {
      PageFrame(
        request.text,
        trail: [.home, TrailView(title: title(of: feed.name, kind: feed.kind, request))],
        alternates: .list(feed.name))
    }

    private func outcome(
      _ part: ListPart, _ query: ListQuery, _ request: PageRequest
    ) -> String {
      if part.next != nil { return "" }
      if !part.items.isEmpty || query.position != nil || query.page != nil {
        return request.text[.end]
      }
      if !query.conditions.isEmpty { return request.text[.noRecord] }
      return query.filter.isEmpty
        ? request.text[.empty] : request.reader.feeds.noMatch(query.filter)
    }

    private func further(
      _ part: ListPart, _ query: ListQuery, _ request: PageRequest
    ) -> LinkView? {
      part.next.map { offset in
        let position = PageCursor(generation: part.feed.generation, position: offset)
        return LinkView(
          title: request.text[part.items.count < query.size ? .searchOn : .loadMore],
          address: .list(part.feed.name, query.first { $0.position = position }))
      }
    }

    private func others(
      _ name: FeedName, _ query: ListQuery, _ request: PageRequest
    ) -> [LinkView] {
      var links: [LinkView] = []
      if query.position != nil || query.page != nil {
        links.append(
          LinkView(title: request.text[.startAgain], address: .list(name, query.first())))
      }
      if query.isSearch {
        links.append(LinkView(title: request.text[.showAll], address: .list(name)))
      }
      return links
    }

    private func alert(
      _ current: LoadedFeed, _ part: ListPart, _ request: PageRequest
    ) -> AlertView? {
      if part.isUnsorted {
        return AlertView(message: request.text[.sortTooSlow], explanation: nil)
      }
      return current.failure.map { error in
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
        address: .list(name, query.first { $0.refreshes = true }))
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
        address: .list(feed.name, query.first()))
      return message(
        .gone, title(of: feed.name, kind: feed.kind, request),
        AlertView(message: request.text[.replaced], explanation: nil), further: start, request)
    }

    /// The search threads are busy with other lists.
    private func busy(
      _ feed: FeedDescription, _ query: ListQuery, _ request: PageRequest
    ) -> HTTPAnswer {
      message(
        .serviceUnavailable, title(of: feed.name, kind: feed.kind, request),
        AlertView(message: request.text[.busy], explanation: nil),
        further: LinkView(title: request.text[.retry], address: .list(feed.name, query)), request)
    }
  }

  extension LoadFailure {
    /// What a failed load means to a customer.
    init(ofLoad error: any Error) {
      switch error {
      case let problem as Problem where problem.status == .gone: self = .expiredCache
      // The store of this server failed, and not the service.
      case is StoreError, is Problem: self = .other
      default: self.init(error)
      }
    }
  }
#endif
