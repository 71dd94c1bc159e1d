public import FeedFeature
public import FeedRecord
public import FeedSchema

extension University: EncodablePayloadModel {
  /// The contract `PayloadSchema.universities`.
  public static var schema: PayloadSchema { .universities }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      name: try record.requiredText(1), country: try record.requiredText(2),
      alphaTwoCode: try record.requiredText(3), stateProvince: try record.text(4),
      webPages: try record.texts(5) ?? [], domains: try record.texts(6))
  }

  /// Sets the record's fields.
  public func encode(into fields: inout RecordFields) {
    fields.set(1, name)
    fields.set(2, country)
    fields.set(3, alphaTwoCode)
    fields.set(4, stateProvince)
    fields.set(5, webPages)
    fields.set(6, domains)
  }
}

extension FeedImage: EncodablePayloadModel {
  /// The contract `PayloadSchema.feed`.
  public static var schema: PayloadSchema { .feed }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      id: try record.requiredUUID(1), description: try record.text(2),
      location: try record.text(3), url: try record.requiredURL(4))
  }

  /// Sets the record's fields.
  public func encode(into fields: inout RecordFields) {
    fields.set(1, id)
    fields.set(2, description)
    fields.set(3, location)
    fields.set(4, url)
  }
}

extension ImageComment: EncodablePayloadModel {
  /// The contract `PayloadSchema.comments`.
  public static var schema: PayloadSchema { .comments }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      id: try record.requiredUUID(1), message: try record.requiredText(2),
      createdAt: try record.requiredDate(3), username: try record.requiredText(4))
  }

  /// Sets the record's fields.
  public func encode(into fields: inout RecordFields) {
    fields.set(1, id)
    fields.set(2, message)
    fields.set(3, createdAt)
    fields.set(4, username)
  }
}

extension SeriesCharacter: EncodablePayloadModel {
  /// The contract `PayloadSchema.characters`.
  public static var schema: PayloadSchema { .characters }

  /// Copies the record's fields; throws if a required one is missing or damaged.
  public init(_ record: borrowing RecordView) throws(RecordError) {
    self.init(
      name: try record.requiredText(1), status: try record.requiredText(2),
      species: try record.requiredText(3), image: try record.requiredURL(4))
  }

  /// Sets the record's fields.
  public func encode(into fields: inout RecordFields) {
    fields.set(1, name)
    fields.set(2, status)
    fields.set(3, species)
    fields.set(4, image)
  }
}

extension Article: EncodablePayloadModel {
  /// The contract `PayloadSchema.news`.
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

  /// Sets the record's fields.
  public func encode(into fields: inout RecordFields) {
    fields.set(1, source.id)
    fields.set(2, source.name)
    fields.set(3, author)
    fields.set(4, title)
    fields.set(5, description)
    fields.set(6, url)
    fields.set(7, urlToImage)
    fields.set(8, publishedAt)
    fields.set(9, content)
  }
}

extension PayloadSchema {
  /// The cache policy of the app whose payload this is. It is `CachePolicy.essential` for a custom
  /// payload, and for the image feed, which two apps share.
  public var policy: CachePolicy { CachePolicy.preset(ofKind: name) }
}
