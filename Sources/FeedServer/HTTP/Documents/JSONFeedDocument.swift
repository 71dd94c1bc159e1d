#if Server
  import FeedStorage
  import JSONStream

  /// A page of a feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/).
  struct JSONFeedDocument {
    private var line = JSONLine()

    init(_ feed: Feed, next: String?, _ request: APIRequest) {
      line.add("version", "https://jsonfeed.org/version/1.1")
      line.add("title", feed.description.name.text)
      line.add("feed_url", request.url(request.target.text))
      if let next { line.add("next_url", request.url(next)) }
    }

    func text(_ entries: [SyndicatedEntry]) -> [UInt8] {
      var line = line
      line.add("items", entries.map(Self.item))
      return line.text + [0x0A]
    }

    private static func item(_ entry: SyndicatedEntry) -> JSONLine {
      var line = JSONLine()
      line.add("id", entry.id + (entry.variant.map { "#" + $0 } ?? ""))
      if let url = entry.url { line.add("url", url) }
      if let title = entry.title { line.add("title", title) }
      line.add("content_text", entry.content)
      if let summary = entry.summary { line.add("summary", summary) }
      if let image = entry.image { line.add("image", image) }
      if let published = entry.published { line.add("date_published", published) }
      if let author = entry.author {
        var name = JSONLine()
        name.add("name", author)
        line.add("authors", [name])
      }
      return line
    }
  }
#endif
