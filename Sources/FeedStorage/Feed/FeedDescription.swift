public import FeedRecord
public import FeedSchema

/// The properties of one published feed.
public struct FeedDescription: Hashable, Sendable {
  /// The feed's name.
  public let name: FeedName
  /// The kind of its records, such as `universities`.
  public let kind: String
  /// The number of its records.
  public let recordCount: Int
  /// The bytes of its blocks and its index.
  public let storedBytes: Int
  /// Its timestamp in seconds since 2001-01-01T00:00:00Z, bit for bit as given.
  public let referenceSeconds: Double
  /// The number of the ingest that published it; later ingests have higher numbers.
  public let generation: UInt64
  /// The source of the records, such as a path.
  public let origin: String
  /// The validators that the server sent with the payload.
  public let validators: ResponseValidators
  /// The JSON text around the records in the payload; empty if there was none.
  public let envelope: [UInt8]
  /// The offset in `envelope` at which the records were.
  public let envelopeInsertion: Int
  /// The number of parts in which that text is stored if it is longer than 64 KiB; ``envelope`` is
  /// empty then. The insertion counts the parts before the records.
  package let envelopeChunks: Int
  /// The fields of its records.
  public let layout: RecordLayout
  /// The id of the key field.
  public let keyField: UInt16
  /// The ids of further indexed fields.
  public let indexedFields: [UInt16]
  /// Nil only in a description that is made without its records.
  package let storedSchema: StoredSchema?

  /// The schema of its records, from the store.
  ///
  /// For a feed that was stored before stores held schemas, it is the schema of its kind in the
  /// database's catalog. If the catalog has none, fields are called by their ids, as in `field7`.
  public var schema: PayloadSchema? { storedSchema?.schema }

  /// The schema as JSON text, as `PayloadSchema.jsonText` writes it.
  public var schemaText: [UInt8] { storedSchema?.text ?? [] }

  /// Whether the names of its fields are known.
  package var hasFieldNames: Bool { storedSchema.map { $0.source != .layout } ?? false }

  /// The contract by which its service is read: the catalog's version if it keeps all fields of the
  /// records, otherwise the stored schema. Nil if the field names are not known.
  package func contract(in catalog: PayloadCatalog) -> PayloadSchema? {
    if let known = catalog.schema(named: kind), layout.canBecome(known.layout) { return known }
    return hasFieldNames ? schema : nil
  }

  /// The name of the app's contract by which its records can be read, as its models read them; nil
  /// for a feed of another contract, even if its kind has the same name.
  package var presetName: String? { storedSchema?.presetName }

  /// Whether its records can be read by a contract: it has the same kind, and any field that the
  /// contract has in addition is optional. Documents are read by the app's contract to which they
  /// conform.
  package func isReadable(as contract: PayloadSchema) -> Bool {
    let layout = schema?.document == nil ? layout : schema?.preset?.layout
    return kind == contract.name && layout?.canBeRead(as: contract.layout) ?? false
  }
}
