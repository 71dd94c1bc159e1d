public import FeedFeature
public import FeedRecord

extension University: PayloadModel {
  /// The contract ``PayloadSchema/universities``.
  public static var schema: PayloadSchema { .universities }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      name: try record.requiredText(1), country: try record.requiredText(2),
      alphaTwoCode: try record.requiredText(3), stateProvince: try record.text(4),
      webPages: try record.texts(5) ?? [], domains: try record.texts(6))
  }
}

extension FeedImage: PayloadModel {
  /// The contract ``PayloadSchema/feed``.
  public static var schema: PayloadSchema { .feed }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      id: try record.requiredUUID(1), description: try record.text(2),
      location: try record.text(3), url: try record.requiredURL(4))
  }
}

extension ImageComment: PayloadModel {
  /// The contract ``PayloadSchema/comments``.
  public static var schema: PayloadSchema { .comments }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      id: try record.requiredUUID(1), message: try record.requiredText(2),
      createdAt: try record.requiredDate(3), username: try record.requiredText(4))
  }
}

extension FeedFeature.Character: PayloadModel {
  /// The contract ``PayloadSchema/characters``.
  public static var schema: PayloadSchema { .characters }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      name: try record.requiredText(1), status: try record.requiredText(2),
      species: try record.requiredText(3), image: try record.requiredURL(4))
  }
}

extension Article: PayloadModel {
  /// The contract ``PayloadSchema/news``.
  public static var schema: PayloadSchema { .news }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      source: Source(id: try record.text(1), name: try record.requiredText(2)),
      author: try record.text(3), title: try record.requiredText(4),
      description: try record.text(5), url: try record.requiredURL(6),
      urlToImage: try record.url(7), publishedAt: try record.requiredDate(8),
      content: try record.text(9))
  }
}
