#if Server
  import FeedSchema
  import FeedStorage

  /// A page of a feed as Atom (RFC 4287).
  struct AtomDocument {
    private let feed: Feed
    private let updated: String
    private var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"

    init(_ feed: Feed, next: String?, _ request: APIRequest) {
      self.feed = feed
      let date = DateText.text(referenceSeconds: feed.description.referenceSeconds)
      updated = date.map { String(decoding: $0, as: UTF8.self) } ?? "2001-01-01T00:00:00Z"
      let name = feed.description.name.text
      text += "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
      add("id", "tag:feedcore,2026:\(name)")
      add("title", name)
      add("updated", updated)
      text += "<author><name>\(Self.escaped(name))</name></author>\n"
      addLink("self", request.url(request.target.text))
      if let next { addLink("next", request.url(next)) }
    }

    func text(_ entries: [SyndicatedEntry]) -> [UInt8] {
      var document = self
      for entry in entries { document.add(entry) }
      return Array((document.text + "</feed>\n").utf8)
    }

    private mutating func add(_ entry: SyndicatedEntry) {
      text += "<entry>\n"
      let key = "tag:feedcore,2026:\(feed.description.name.text)/\(entry.id.queryEscaped)"
      add("id", key + (entry.variant.map { "#" + $0 } ?? ""))
      add("title", entry.title ?? entry.content)
      add("updated", entry.published ?? updated)
      if let published = entry.published { add("published", published) }
      if let url = entry.url { addLink("alternate", url) }
      if let image = entry.image { addLink("enclosure", image) }
      if let author = entry.author {
        text += "<author><name>\(Self.escaped(author))</name></author>\n"
      }
      if let summary = entry.summary { add("summary", summary) }
      text += "<content type=\"text\">\(Self.escaped(entry.content))</content>\n</entry>\n"
    }

    private mutating func add(_ name: String, _ value: String) {
      text += "<\(name)>\(Self.escaped(value))</\(name)>\n"
    }

    private mutating func addLink(_ relation: String, _ url: String) {
      text += "<link rel=\"\(relation)\" href=\"\(Self.escaped(url))\"/>\n"
    }

    /// Escapes text for character data and attributes. Characters that XML 1.0 does not allow
    /// become U+FFFD.
    static func escaped(_ text: String) -> String {
      var result = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
        case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result
    }
  }
#endif
