public import FeedAPI
@_spi(Ingest) import FeedRecord
import FeedSchema
public import FeedStorage

extension FeedDatabase {
  /// Publishes Swift values as a feed, completely or not at all. A replacement of the same kind
  /// keeps the indexes of the replaced feed.
  ///
  /// This is for values in memory. An ingest of a payload's bytes is faster and does not hold the
  /// payload in memory.
  ///
  /// - Parameters:
  ///   - models: the items in order.
  ///   - name: the feed.
  ///   - referenceSeconds: the feed's timestamp, seconds since 2001-01-01T00:00:00Z, stored bit for
  ///     bit.
  ///   - appends: true to add the items after those of the feed, including equal ones.
  ///   - waits: true to wait while another ingest changes the feed, instead of failing as busy.
  ///   - timeout: how long to wait for the ingest; nil for as long as it takes.
  ///   - origin: the source of the items.
  /// - Returns: the feed, once it survives a power cut.
  /// - Throws: `busy`; `invalidKind` for an append to a feed of another kind, or if a model does
  ///   not fit its own schema; `diskFull`. Nothing has been published then, unless the message says
  ///   that the feed was published and not made durable (`ioError`).
  @discardableResult
  public func insert<Model: EncodablePayloadModel>(
    _ models: some Sequence<Model>, into name: FeedName, referenceSeconds: Double,
    appends: Bool = false, waits: Bool = false, timeout: Duration? = nil, origin: String = ""
  ) throws(StoreError) -> FeedDescription {
    let schema = Model.schema
    var request = GenerationRequest(name, schema)
    request.indexedFields = schema.fields.filter(\.isIndexed).map(\.id)
    request.keepsIndexes = true
    request.mode = appends ? .append : .replace
    request.keepsEqualRecords = true
    request.wait = FeedWait(waits: waits, timeout: timeout)
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

  /// The number of encoded bytes after which records are written.
  private static var encodedBytes: Int { 256 << 10 }
}
