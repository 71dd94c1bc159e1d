public import FeedFeature
public import FeedPayloads
public import JSONStream

/// What an ingest does, beside the files it reads.
public struct IngestOptions: Sendable {
  /// How many bad records an ingest passes over before it gives up.
  public enum Allowance: Sendable, Hashable {
    /// None: one bad record, and nothing is published.
    case none
    /// So many.
    case count(Int)
    /// So many of a hundred records, judged when all have been read.
    case percent(Double)
  }

  /// The name of the feed; by default that of its kind.
  public var feed: FeedName?
  /// The payload contract; by default the one of the catalog that the first record fits.
  public var schema: PayloadSchema?
  /// The contracts to choose from.
  public var catalog = PayloadCatalog.standard
  /// True to keep the feed's records and add those that it does not have yet.
  public var appends = false
  /// What has to be true of the feed for it to be changed.
  public var condition = PublishCondition.always
  /// The names of fields to index beside the key, and beside those that the schema names. An
  /// append goes on with the indexes of the feed, and by a further one it writes all records of the
  /// feed anew; what replaces a feed is indexed by these alone. Each costs 8 bytes a record.
  public var indexedFields: [String] = []
  /// True to go on with the indexes of a feed of the same kind that is replaced.
  package var keepsIndexes = false
  /// How many bad records to pass over.
  public var allowance = Allowance.none
  /// What becomes of a date that is not of the contract's form; by default the record is bad.
  public var dates = CachePolicy.Dates.strict
  /// How a document is read: limits, lanes, and what to do where JSON leaves a choice.
  public var parsing = JSONOptions()
  /// When the payload was current, in seconds since 2001-01-01T00:00:00Z; by default now.
  public var referenceSeconds: Double?
  /// What the server that sent the payload has said of it, to be kept with the feed.
  public var validators = ResponseValidators()
  /// True to wait while somebody else ingests the same feed, instead of failing as busy. In what an
  /// ingest calls nobody waits, as that could be without end: there it is `misuse`.
  public var waits = false

  /// The defaults: replace, strict, kind and name found out.
  public init() {}
}

/// What is known of a payload only when all of it has come; goes before what the options say.
public struct IngestDetails: Hashable, Sendable {
  /// When the payload was current, in seconds since 2001-01-01T00:00:00Z.
  public var referenceSeconds: Double?
  /// What the server that sent the payload has said of it.
  public var validators: ResponseValidators?

  /// Makes details; what is left out is as the options say.
  public init(referenceSeconds: Double? = nil, validators: ResponseValidators? = nil) {
    self.referenceSeconds = referenceSeconds
    self.validators = validators
  }
}

/// How far an ingest has come.
public struct IngestProgress: Sendable {
  /// Bytes read of all files, decompressed.
  public var bytes: Int
  /// Bytes taken of the files as they lie there: fewer than ``bytes``, if they are compressed.
  public var fileBytes: Int
  /// The length of all files as they lie there, where it is known.
  public var totalBytes: Int?
  /// Records mapped so far.
  public var records: Int
}

/// What an ingest has done.
public struct IngestReport: Sendable {
  /// The feed as published.
  public var feed: FeedDescription
  /// Records read and kept in this ingest.
  public var records: Int
  /// Records refused and passed over.
  public var rejected: Int
  /// Bytes read, decompressed.
  public var bytes: Int
}

/// Why an ingest published nothing.
public struct IngestError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: Hashable, Sendable {
    private let value: UInt8
    private init(_ value: UInt8) { self.value = value }
    /// The input cannot be read or is refused; see ``IngestError/payload``.
    public static let payload = Code(1)
    /// The store refused; see ``IngestError/store``.
    public static let store = Code(2)
    /// The files hold records of several kinds.
    public static let severalKinds = Code(3)
    /// The caller asked to stop.
    public static let cancelled = Code(4)
    /// More records are bad than allowed.
    public static let tooManyRejected = Code(5)
  }

  /// What kind of failure it is.
  public let code: Code
  /// What was wrong and where, in one line.
  public let message: String
  /// Where the input is wrong, if it is.
  public let payload: JSONError?
  /// What the store refused, if it did.
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
