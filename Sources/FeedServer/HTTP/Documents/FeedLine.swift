#if Server
  import FeedSchema
  import FeedStorage
  import JSONStream

  /// The description of a feed for clients.
  struct FeedLine {
    var line = JSONLine()

    init(_ feed: FeedDescription) {
      let timestamp = DateText.text(referenceSeconds: feed.referenceSeconds)
      line.add("name", feed.name.text)
      line.add("kind", feed.kind)
      line.add("generation", feed.generation)
      line.add("timestamp", timestamp.map { String(decoding: $0, as: UTF8.self) })
      line.add("total", feed.recordCount)
    }
  }
#endif
