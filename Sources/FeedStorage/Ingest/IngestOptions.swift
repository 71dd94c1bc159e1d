public import FeedSchema
public import JSONStream

/// The options of an ingest.
public struct IngestOptions: Sendable {
  /// The number of bad records that an ingest skips before it fails.
  public enum Allowance: Sendable, Hashable {
    /// None: nothing is published if one record is bad.
    case none
    /// Up to this number.
    case count(Int)
    /// Up to this percentage, computed after all records were read.
    case percent(Double)
  }

  /// How the records of a feed are stored.
  public enum Form: Sendable, Hashable {
    /// By a contract of the catalog if that names every key of the first records, else as their
    /// texts.
    case automatic
    /// By a contract of the catalog. Records of no contract are an error.
    case contract
    /// As their texts, which lose nothing.
    case document
  }

  /// The name of the feed; by default the name of its kind, or of the file of documents.
  public var feed: FeedName?
  /// How the records are stored. An append keeps the form of the feed.
  public var form = Form.automatic
  /// The location of the records in documents, as a JSON Pointer (RFC 6901); by default it is
  /// found.
  public var records: String?
  /// Whether each document is one record.
  public var isSingleRecord = false
  /// The plan for reading the records of documents, if it is known.
  package var plan: DocumentPlan?
  /// Which of several containers at the plan's path has the records, counted from 1.
  package var occurrence: Int?
  /// The paths whose values are the key of documents, as in `user.id`; `#` for the position in the
  /// feed, or `member` for the key of the member whose value a record is. By default a key is
  /// found.
  public var key: [String] = []
  /// The payload contract; by default the contract of the catalog that fits the first record.
  public var schema: PayloadSchema?
  /// The statements of a schema file about documents, instead of a contract.
  package var stated: StatedSchema?
  /// The contracts to choose from.
  public var catalog = PayloadCatalog.standard
  /// Whether to keep the feed's records and add those that it does not have yet.
  public var appends = false
  /// The condition on the feed's current state.
  public var condition = PublishCondition.always
  /// The names or paths of fields to index, in addition to the key and to those of the schema. Each
  /// costs 8 bytes per record.
  ///
  /// A replacement has only these indexes. An append keeps the feed's indexes; for a new index it
  /// rewrites all records of the feed, and of documents it fails.
  public var indexedFields: [String] = []
  /// Whether to keep the indexes of a replaced feed of the same kind.
  package var keepsIndexes = false
  /// The number of bad records to skip.
  public var allowance = Allowance.none
  /// How to treat a date in another form than the contract's; by default the record is bad.
  public var dates = PayloadParser.Dates.strict
  /// How to read a document: limits, lanes, and choices that JSON leaves open.
  public var parsing = JSONOptions()
  /// The time at which the payload was current, in seconds since 2001-01-01T00:00:00Z; by default
  /// now.
  public var referenceSeconds: Double?
  /// The validators that the server sent with the payload, stored with the feed.
  public var validators = ResponseValidators()
  /// Whether to wait while another ingest changes the same feed, instead of failing as busy. Inside
  /// a callback of an ingest the wait could be endless, so it fails with `misuse`.
  public var waits = false
  /// How long to wait for the other ingest; by default without a limit. After that the ingest fails
  /// as busy, with the other process in the message.
  public var waitTimeout: Duration?

  /// Whether the location of the records is given, so that it need not be found.
  var hasPlace: Bool { records != nil || stated?.hasPlace == true }

  /// The defaults: replace, strict, with kind and name from the input.
  public init() {}
}

/// Properties of a payload that are known only at its end. They override the options.
public struct IngestDetails: Hashable, Sendable {
  /// The time at which the payload was current, in seconds since 2001-01-01T00:00:00Z.
  public var referenceSeconds: Double?
  /// The validators that the server sent with the payload.
  public var validators: ResponseValidators?

  /// Creates details; nil keeps the values of the options.
  public init(referenceSeconds: Double? = nil, validators: ResponseValidators? = nil) {
    self.referenceSeconds = referenceSeconds
    self.validators = validators
  }
}

/// The progress of an ingest.
public struct IngestProgress: Sendable {
  /// The decompressed bytes read from all files.
  public var bytes: Int
  /// The bytes read from the files themselves: fewer than ``bytes`` if they are compressed.
  public var fileBytes: Int
  /// The total size of the files, if known.
  public var totalBytes: Int?
  /// The number of records mapped so far.
  public var records: Int
}

/// The result of an ingest.
public struct IngestReport: Sendable {
  /// The published feed.
  public var feed: FeedDescription
  /// The number of records that were read and stored.
  public var records: Int
  /// The number of records that were rejected and skipped.
  public var rejected: Int
  /// The number of decompressed bytes read.
  public var bytes: Int
  /// The keys of records that their contract does not name, the most frequent first; up to 256 per
  /// lane, and 256 KiB of their bytes. Their values are not stored.
  public var droppedKeys: [DroppedKey] = []

  /// A key that is not stored.
  public struct DroppedKey: Sendable, Hashable {
    /// The keys from the record to the value.
    public var path: [String]
    /// The number of its occurrences in records.
    public var records: Int
  }

  /// The values that do not fit the schema file, which are stored nevertheless.
  package var misfits: [SchemaMisfit] = []
  /// Where the records of the last document were; nil for records of a contract.
  package var plan: DocumentPlan?
  /// The key of the replaced documents, if another one was chosen automatically.
  package var replacedKey: [String] = []

  /// An array or object that is larger than the container of the records; nil if there is none. Its
  /// text is kept with the feed.
  public var otherRecords: OtherRecords?

  /// An array or object next to the records.
  public struct OtherRecords: Sendable, Hashable {
    /// Its location, as a JSON Pointer.
    public var pointer: String
    /// Its bytes in the document.
    public var bytes: Int
  }
  /// The number of optional URLs that are invalid or lack a host; their text is kept. Relative URLs
  /// count too if ``feed`` has no URL of its own to resolve them against.
  public var unusableURLs = 0
}

/// The reason why an ingest published nothing.
public struct IngestError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    private let value: UInt8
    private init(_ value: UInt8) { self.value = value }
    /// The input is unreadable or invalid; see ``IngestError/payload``.
    public static let payload = Code(1)
    /// The store failed; see ``IngestError/store``.
    public static let store = Code(2)
    /// The files hold records of several kinds.
    public static let severalKinds = Code(3)
    /// The caller cancelled the ingest.
    public static let cancelled = Code(4)
    /// More records are bad than allowed.
    public static let tooManyRejected = Code(5)
  }

  /// The kind of failure.
  public let code: Code
  /// The failure and its position, in one line.
  public let message: String
  /// The error of the input, if any.
  public let payload: JSONError?
  /// The error of the store, if any.
  public let store: StoreError?

  public var description: String { message }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
    payload = nil
    store = nil
  }

  init(_ error: JSONError) {
    code = error.kind == .cancelled ? .cancelled : .payload
    message = "\(error)"
    payload = error
    store = nil
  }

  init(_ error: StoreError) {
    code = error.code == .cancelled ? .cancelled : .store
    message = "\(error)"
    payload = nil
    store = error
  }
}
