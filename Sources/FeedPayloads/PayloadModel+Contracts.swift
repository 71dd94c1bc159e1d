public import FeedFeature
public import FeedRecord

extension University: PayloadModel {
  public static var schema: PayloadSchema { .universities }

  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      name: try record.requiredText(1), country: try record.requiredText(2),
      alphaTwoCode: try record.requiredText(3), stateProvince: try record.text(4),
      webPages: try record.texts(5) ?? [], domains: try record.texts(6))
  }
}

extension FeedImage: PayloadModel {
  public static var schema: PayloadSchema { .feed }

  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      id: try record.requiredUUID(1), description: try record.text(2),
      location: try record.text(3), url: try record.requiredURL(4))
  }
}

extension ImageComment: PayloadModel {
  public static var schema: PayloadSchema { .comments }

  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      id: try record.requiredUUID(1), message: try record.requiredText(2),
      createdAt: try record.requiredDate(3), username: try record.requiredText(4))
  }
}

extension FeedFeature.Character: PayloadModel {
  public static var schema: PayloadSchema { .characters }

  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      name: try record.requiredText(1), status: try record.requiredText(2),
      species: try record.requiredText(3), image: try record.requiredURL(4))
  }
}

extension Article: PayloadModel {
  public static var schema: PayloadSchema { .news }

  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      source: Source(id: try record.text(1), name: try record.requiredText(2)),
      author: try record.text(3), title: try record.requiredText(4),
      description: try record.text(5), url: try record.requiredURL(6),
      urlToImage: try record.url(7), publishedAt: try record.requiredDate(8),
      content: try record.text(9))
  }
}
