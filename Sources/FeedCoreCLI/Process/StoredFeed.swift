import FeedCore

/// A feed as a command found it, with the contract that its records follow.
struct StoredFeed {
  let database: FeedDatabase
  let name: FeedName
  let schema: PayloadSchema
  /// The fields by which records can be looked up.
  let indexedFields: Set<UInt16>
  private let locations: [FieldLocation?]

  /// - Throws: exit status 64 for an impossible name or a kind that this program does not know,
  ///   66 where there is no such feed.
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
  /// - Parameter prepare: learns of that generation first.
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

  /// Calls `body` with each record that has the key, in document order. Returns their number.
  func forEach(
    withKeyBytes key: [UInt8], _ body: (RecordView) throws(StoreError) -> Bool
  ) throws(Failure) -> Int {
    try forEach(where: schema.keyField, hasBytes: key, body)
  }

  /// Calls `body` with each record of which an indexed field has these bytes, in document order.
  /// Returns their number.
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

  // A look-up shows the generation of its own moment, which may be of another kind by then.
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
  /// A name from the command line.
  init(argument: String) throws(Failure) {
    do throws(StoreError) {
      try self.init(argument)
    } catch {
      throw Failure(.usage, "\(argument.isEmpty ? "''" : argument): \(error)")
    }
  }

  /// A name that a feed is to get by this command. One that looks like an option is none, though
  /// the library takes it: each later command would need it behind `--`.
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
