import FeedRecord
import JSONStream

/// The fields that a generation's row has since version 4. A row of an earlier version has the
/// defaults.
struct GenerationDetails: Hashable, Sendable {
  /// How a record is stored.
  enum Form: UInt8 {
    /// By the fields of a contract.
    case flat = 0
    /// As its text.
    case document = 1
  }

  /// What records are looked up by.
  enum KeyKind: UInt8 {
    case position = 0
    case member = 1
    case fields = 2
  }

  /// An addition of a later version.
  struct Extension: Hashable, Sendable {
    /// If the highest bit is set, a reader must know the tag.
    let tag: UInt16
    let bytes: [UInt8]

    var isRequired: Bool { tag & 0x8000 != 0 }
  }

  var form = Form.flat
  var framing = DocumentPlan.Framing.array
  /// The location of the records in the document, as a JSON Pointer.
  var recordsPointer = ""
  var keyKind = KeyKind.fields
  /// The fields of the key, in its order.
  var keyFields: [UInt16] = []
  /// The length and the hash of the schema's text; 0 if none is stored.
  var schemaByteCount: UInt32 = 0
  var schemaHash: UInt64 = 0
  /// The number of blocks that hold an envelope that is too long for a value; 0 for none.
  var envelopeChunks: UInt32 = 0
  /// The bytes of all records' texts; 0 for flat records.
  var textByteCount: UInt64 = 0
  /// The generation that this one has replaced; 0 for none.
  var previousGeneration: UInt64 = 0
  /// How long the generation is kept; 0 to keep it while it is published.
  var retention: UInt64 = 0
  /// For each segment the number of blocks of each index; 0 if it is not known.
  var indexBlockCounts: [[UInt32]] = []
  /// The additions of a later version. They are written back unchanged.
  var extensions: [Extension] = []
}

extension GenerationDetails {
  /// - Parameter segments: the number of segments, each of which has `indexes` indexes.
  func write(to writer: inout RowWriter, segments: Int, indexes: Int) {
    writer.write(form.rawValue)
    writer.write(framing.rawValue)
    writer.write(recordsPointer)
    writer.write(keyKind.rawValue)
    writer.write(UInt16(clamping: keyFields.count))
    for field in keyFields { writer.write(field) }
    writer.write(schemaByteCount)
    writer.write(schemaHash)
    writer.write(envelopeChunks)
    writer.write(textByteCount)
    writer.write(previousGeneration)
    writer.write(retention)
    for segment in 0..<segments {
      let counts = indexBlockCounts.indices.contains(segment) ? indexBlockCounts[segment] : []
      for index in 0..<indexes {
        writer.write(counts.indices.contains(index) ? counts[index] : 0)
      }
    }
    writer.write(UInt16(clamping: extensions.count))
    for addition in extensions {
      writer.write(addition.tag)
      writer.write(UInt32(clamping: addition.bytes.count))
      writer.write(addition.bytes)
    }
  }

  /// - Throws: `damaged`; `incompatible` if only a later version can read it
  @_lifetime(reader: copy reader)
  init(_ reader: inout RowReader, segments: Int, indexes: Int) throws(StoreError) {
    guard let form = Form(rawValue: try reader.read(UInt8.self)),
      let framing = DocumentPlan.Framing(rawValue: try reader.read(UInt8.self))
    else { throw .newerRow }
    self.form = form
    self.framing = framing
    recordsPointer = try reader.text()
    guard let keyKind = KeyKind(rawValue: try reader.read(UInt8.self)) else { throw .newerRow }
    self.keyKind = keyKind
    for _ in 0..<(try reader.read(UInt16.self)) {
      keyFields.append(try reader.read(UInt16.self))
    }
    schemaByteCount = try reader.read(UInt32.self)
    schemaHash = try reader.read(UInt64.self)
    envelopeChunks = try reader.read(UInt32.self)
    textByteCount = try reader.read(UInt64.self)
    previousGeneration = try reader.read(UInt64.self)
    retention = try reader.read(UInt64.self)
    for _ in 0..<segments {
      var counts: [UInt32] = []
      for _ in 0..<indexes { counts.append(try reader.read(UInt32.self)) }
      indexBlockCounts.append(counts)
    }
    for _ in 0..<(try reader.read(UInt16.self)) {
      let addition = Extension(tag: try reader.read(UInt16.self), bytes: try reader.bytes())
      if addition.isRequired { throw .newerRow }
      extensions.append(addition)
    }
  }
}

extension StoreError {
  static var newerRow: StoreError {
    StoreError(.incompatible, "a newer version of FeedCore wrote this feed; use that one")
  }
}
