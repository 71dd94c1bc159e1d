import FeedRecord
import FeedSchema

/// A sequence of blocks that never changes once its generation is published.
struct Segment: Hashable, Sendable {
  let identifier: UInt64
  let recordCount: UInt64
  let blockCount: UInt64
  /// The bytes of the blocks and of the index.
  let byteCount: UInt64

  /// Whether an ingest can have created it: sums of such numbers do not overflow.
  var isPossible: Bool {
    recordCount <= UInt32.max && blockCount <= recordCount && byteCount < 1 << 56
  }
}

/// One ingest and its result, as stored in the table of generations.
struct GenerationRow: Hashable, Sendable {
  enum GenerationState: UInt8 {
    /// An ingest is writing it, or was killed while doing so.
    case building = 1
    /// Its feed's name points at it.
    case published = 2
    /// Replaced or deleted; kept while scans hold its lease.
    case dead = 3
  }

  var state: GenerationState
  let generation: UInt64
  let name: FeedName
  var kind: String
  let layout: RecordLayout
  /// For documents, it is known only after all of them have been read.
  var keyField: UInt16
  /// The indexed fields other than the key, in the order of their indexes.
  var indexedFields: [UInt16] = []
  var segments: [Segment]
  var referenceBits: UInt64 = 0
  var origin = ""
  var validators = ResponseValidators()
  var envelopeByteCount: UInt32 = 0
  var envelopeInsertion: UInt32 = 0
  var envelopeHash: UInt64 = 0
  var details = GenerationDetails()

  /// Whether both have the same records. Changes by a renewal of the feed do not count.
  func hasRecords(of other: GenerationRow) -> Bool {
    generation == other.generation && segments == other.segments && layout == other.layout
      && keyField == other.keyField && indexedFields == other.indexedFields
      && envelopeByteCount == other.envelopeByteCount && envelopeHash == other.envelopeHash
  }

  var recordCount: UInt64 { segments.reduce(0) { $0 &+ $1.recordCount } }
  var byteCount: UInt64 { segments.reduce(0) { $0 &+ $1.byteCount } }

  func description(envelope: [UInt8], _ schema: StoredSchema?) -> FeedDescription {
    FeedDescription(
      name: name, kind: kind, recordCount: Int(clamping: recordCount),
      storedBytes: Int(clamping: byteCount) + envelope.count + Int(details.schemaByteCount),
      referenceSeconds: Double(bitPattern: referenceBits), generation: generation, origin: origin,
      validators: validators, envelope: envelope, envelopeInsertion: Int(envelopeInsertion),
      envelopeChunks: Int(details.envelopeChunks),
      layout: layout,
      keyField: keyField, indexedFields: indexedFields, storedSchema: schema)
  }

  /// The number of indexes of each segment: that of the key, and those of the indexed fields.
  var indexCount: Int { 1 + indexedFields.count }

  /// The number of the index for a field; nil if there is none.
  func index(of field: UInt16) -> UInt8? {
    if field == keyField { return StoreFormat.keyIndex }
    guard let position = indexedFields.firstIndex(of: field) else { return nil }
    return UInt8(clamping: position + 1)
  }
}

extension GenerationRow {
  /// Version 1 had no indexed fields, version 2 no validators, version 3 no details.
  private static let version: UInt16 = 4

  func encoded() -> [UInt8] {
    var writer = RowWriter()
    writer.write(Self.version)
    writer.write(state.rawValue)
    writer.write(generation)
    writer.write(name.text)
    writer.write(kind)
    writer.write(layout.schemaID)
    writer.write(keyField)
    writer.write(UInt16(clamping: layout.fields.count))
    for field in layout.fields {
      writer.write(field.id)
      writer.write(field.type.rawValue)
      writer.write(UInt8(field.isOptional ? 1 : 0))
    }
    writer.write(UInt16(clamping: indexedFields.count))
    for field in indexedFields { writer.write(field) }
    writer.write(UInt16(clamping: segments.count))
    for segment in segments {
      writer.write(segment.identifier)
      writer.write(segment.recordCount)
      writer.write(segment.blockCount)
      writer.write(segment.byteCount)
    }
    writer.write(referenceBits)
    writer.write(origin)
    writer.write(envelopeByteCount)
    writer.write(envelopeInsertion)
    writer.write(envelopeHash)
    Self.write(validators.entityTag, &writer)
    Self.write(validators.lastModified, &writer)
    details.write(to: &writer, segments: segments.count, indexes: indexCount)
    return writer.sealed()
  }

  /// - Throws: `damaged`; `incompatible` if a newer version wrote the row
  init(_ bytes: RawSpan) throws(StoreError) {
    var reader = try RowReader(bytes)
    let version = try reader.read(UInt16.self)
    guard version >= 1, version <= Self.version else {
      throw .newerRow
    }
    guard let state = GenerationState(rawValue: try reader.read(UInt8.self)) else {
      throw RowReader.damaged
    }
    self.state = state
    generation = try reader.read(UInt64.self)
    name = try FeedName(try reader.text())
    kind = try reader.text()
    let schemaID = try reader.read(UInt32.self)
    keyField = try reader.read(UInt16.self)
    layout = try Self.layout(schemaID, &reader)
    if version > 1 {
      for _ in 0..<(try reader.read(UInt16.self)) {
        indexedFields.append(try reader.read(UInt16.self))
      }
    }
    segments = try Self.segments(&reader)
    referenceBits = try reader.read(UInt64.self)
    origin = try reader.text()
    envelopeByteCount = try reader.read(UInt32.self)
    envelopeInsertion = try reader.read(UInt32.self)
    envelopeHash = try reader.read(UInt64.self)
    if version > 2 {
      validators.entityTag = try Self.optionalText(&reader)
      validators.lastModified = try Self.optionalText(&reader)
    }
    details =
      version > 3
      ? try GenerationDetails(&reader, segments: segments.count, indexes: indexCount)
      : GenerationDetails(keyFields: [keyField])
    // In a text in parts, it counts these.
    let end = details.envelopeChunks > 0 ? details.envelopeChunks : envelopeByteCount
    guard envelopeInsertion <= end else { throw RowReader.damaged }
  }

  private static func write(_ text: String?, _ writer: inout RowWriter) {
    writer.write(UInt8(text == nil ? 0 : 1))
    if let text { writer.write(text) }
  }

  @_lifetime(reader: copy reader)
  private static func optionalText(_ reader: inout RowReader) throws(StoreError) -> String? {
    try reader.read(UInt8.self) == 0 ? nil : reader.text()
  }

  @_lifetime(reader: copy reader)
  private static func layout(
    _ schemaID: UInt32, _ reader: inout RowReader
  ) throws(StoreError) -> RecordLayout {
    var fields: [RecordField] = []
    for _ in 0..<(try reader.read(UInt16.self)) {
      let identifier = try reader.read(UInt16.self)
      guard let type = FieldType(rawValue: try reader.read(UInt8.self)) else {
        throw RowReader.damaged
      }
      let isOptional = try reader.read(UInt8.self) == 1
      fields.append(RecordField(id: identifier, type: type, isOptional: isOptional))
    }
    do throws(RecordError) {
      return try RecordLayout(schemaID: schemaID, fields: fields)
    } catch {
      throw StoreError(error)
    }
  }

  @_lifetime(reader: copy reader)
  private static func segments(_ reader: inout RowReader) throws(StoreError) -> [Segment] {
    var segments: [Segment] = []
    for _ in 0..<(try reader.read(UInt16.self)) {
      let segment = Segment(
        identifier: try reader.read(UInt64.self), recordCount: try reader.read(UInt64.self),
        blockCount: try reader.read(UInt64.self), byteCount: try reader.read(UInt64.self))
      guard segment.isPossible else { throw RowReader.damaged }
      segments.append(segment)
    }
    return segments
  }
}
