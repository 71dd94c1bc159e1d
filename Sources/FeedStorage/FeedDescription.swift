public import FeedPayloads
public import FeedRecord

/// What a store knows of one published feed.
public struct FeedDescription: Hashable, Sendable {
  /// The feed's name.
  public let name: FeedName
  /// The kind of its records, such as `universities`.
  public let kind: String
  /// How many records it has.
  public let recordCount: Int
  /// The bytes of its blocks and its index.
  public let storedBytes: Int
  /// Its timestamp in seconds since 2001-01-01T00:00:00Z, bit for bit as it was given.
  public let referenceSeconds: Double
  /// The number of the ingest that published it; grows from one to the next.
  public let generation: UInt64
  /// Where the records came from, such as a path.
  public let origin: String
  /// What the server that sent the payload has said of it.
  public let validators: ResponseValidators
  /// What stood around the records in the payload, as JSON text; empty where nothing did.
  public let envelope: [UInt8]
  /// The offset in `envelope` at which the records stood.
  public let envelopeInsertion: Int
  /// The fields of its records.
  public let layout: RecordLayout
  /// The id of the field by which records are looked up.
  public let keyField: UInt16
  /// The ids of further fields by which records can be looked up.
  public let indexedFields: [UInt16]
}
