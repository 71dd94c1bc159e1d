import FeedCore

/// A feed as a command has found it, with the contract of its records.
struct StoredFeed {
  let database: FeedDatabase
  let name: FeedName
  let schema: PayloadSchema
  /// The fields with an index.
  let indexedFields: Set<UInt16>
  private let locations: [FieldLocation?]

  /// - Throws: exit status 64 for an invalid name or a kind that this program does not know, 66 if
  ///   the feed does not exist.
  init(named text: String, in store: StoreOptions) throws(Failure) {
    let name = try FeedName(argument: text)
    let database = try store.openExisting()
    do throws(StoreError) {
      guard let feed = try database.feed(named: name) else {
        throw StoreError(.notFound, "there is no feed named \(name)", path: database.directory)
      }
      guard let schema = PayloadCatalog.standard.schema(named: feed.kind),
        schema.layout == feed.layout
      else {
        throw StoreError(
          .invalidKind, "the feed \(name) holds \(feed.kind) of a contract unknown here")
      }
      self.name = name
      self.database = database
      self.schema = schema
      indexedFields = Set(feed.indexedFields).union([feed.keyField])
      locations = schema.fields.map { schema.layout.location(of: $0.id) }
    } catch {
      throw Failure(error)
    }
  }

  /// Calls `body` with each record in document order, of one generation, until it returns false.
  ///
  /// - Parameter prepare: receives that generation first.
  func forEach(
    from offset: Int = 0, prepare: (FeedDescription) -> Void = { _ in },
    _ body: (RecordView) throws(StoreError) -> Bool
  ) throws(Failure) {
    do throws(StoreError) {
      try database.forEachRecord(
        in: name, from: offset,
        prepare: { (feed) throws(StoreError) in
          guard feed.kind == schema.name, feed.layout == schema.layout else { throw replaced }
          prepare(feed)
        },
        { (record, _) throws(StoreError) in try body(record) })
    } catch {
      throw Failure(error)
    }
  }

  /// Calls `body` with each record with the key, in document order. Returns their number.
  func forEach(
    withKeyBytes key: [UInt8], _ body: (RecordView) throws(StoreError) -> Bool
  ) throws(Failure) -> Int {
    try forEach(where: schema.keyField, hasBytes: key, body)
  }

  /// Calls `body` with each record whose indexed field has these bytes, in document order. Returns
  /// their number.
  @discardableResult
  func forEach(
    where field: PayloadSchema.Field, hasBytes bytes: [UInt8],
    _ body: (RecordView) throws(StoreError) -> Bool
  ) throws(Failure) -> Int {
    do throws(StoreError) {
      return try database.forEachRecord(
        in: name, whereField: field.id, hasBytes: bytes.span.bytes
      ) {
        (record, _) throws(StoreError) in
        guard isOfSchema(record) else { throw replaced }
        return try body(record)
      }
    } catch {
      throw Failure(error)
    }
  }

  // A lookup reads the generation that is current at its time, which may be of another kind.
  private func isOfSchema(_ record: borrowing RecordView) -> Bool {
    for (field, location) in zip(schema.fields, locations)
    where record.location(of: field.id) != location {
      return false
    }
    return true
  }

  private var replaced: StoreError {
    StoreError(.busy, "the feed \(name) has just been replaced by one of another kind; try again")
  }
}

extension FeedName {
  /// Parses a name from the command line.
  init(argument: String) throws(Failure) {
    do throws(StoreError) {
      try self.init(argument)
    } catch {
      throw Failure(.usage, "\(argument.isEmpty ? "''" : argument): \(error)")
    }
  }

  /// Parses the name of a new feed. A name that looks like an option is rejected, though the
  /// library accepts it: each later command would need it after `--`.
  init(ofNewFeed argument: String) throws(Failure) {
    try self.init(argument: argument)
    guard !text.hasPrefix("-") else {
      throw Failure(
        .usage,
        "\(argument): the name begins with a hyphen, and commands would take it for an option;"
          + " begin it with a letter")
    }
  }
}
