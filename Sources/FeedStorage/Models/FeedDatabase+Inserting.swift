public import FeedPayloads
@_spi(Ingest) import FeedRecord

extension FeedDatabase {
  /// Publishes Swift values as a feed, whole or not at all. What takes a feed's place is indexed by
  /// the fields by which that was, where it is of the same kind.
  ///
  /// This is for values that a program has at hand; a payload is stored faster, and without being
  /// held, by an ingest of its bytes.
  ///
  /// - Parameters:
  ///   - models: the items in the order in which they are to stand.
  ///   - name: the feed.
  ///   - referenceSeconds: the feed's timestamp, seconds since 2001-01-01T00:00:00Z, kept to the
  ///     bit.
  ///   - appends: true to add the items behind those of the feed, equal ones too.
  ///   - waits: true to wait while somebody else changes the feed, instead of failing as busy.
  ///   - origin: where they came from.
  /// - Returns: the feed, once it is safe from a power cut.
  /// - Throws: `busy`; `invalidKind` for an append to a feed of another kind, or where a model does
  ///   not fit its own schema; `diskFull`. Nothing has been published then.
  @discardableResult
  public func insert<Model: EncodablePayloadModel>(
    _ models: some Sequence<Model>, into name: FeedName, referenceSeconds: Double,
    appends: Bool = false, waits: Bool = false, origin: String = ""
  ) throws(StoreError) -> FeedDescription {
    let schema = Model.schema
    var request = GenerationRequest(
      name, kind: schema.name, layout: schema.layout, keyField: schema.keyField.id)
    request.indexedFields = schema.fields.filter(\.isIndexed).map(\.id)
    request.keepsIndexes = true
    request.mode = appends ? .append : .replace
    request.keepsEqualRecords = true
    request.waits = waits
    let writer = try beginGeneration(request, isCancelled: { false })
    do throws(StoreError) {
      try append(models, to: writer)
      return try writer.publish(
        referenceSeconds: referenceSeconds, origin: origin, envelope: [], envelopeInsertion: 0)
    } catch {
      writer.abandon()
      throw error
    }
  }

  private func append<Model: EncodablePayloadModel>(
    _ models: some Sequence<Model>, to writer: GenerationWriter
  ) throws(StoreError) {
    var encoder = RecordEncoder(layout: Model.schema.layout)
    for model in models {
      do throws(RecordError) {
        try model.append(to: &encoder)
      } catch {
        throw StoreError(.invalidKind, "\(Model.self) cannot be stored: \(error.message)")
      }
      guard encoder.byteCount > Self.encodedBytes else { continue }
      try writer.append(encoder)
      encoder.removeAll()
    }
    try writer.append(encoder)
  }

  /// Bytes of records that are encoded before they are written.
  private static var encodedBytes: Int { 256 << 10 }
}
