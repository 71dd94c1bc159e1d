import CFeedCore
import FeedSchema
import FeedStorage
import JSONStream

/// The ingest options from C.
struct IngestSettings {
  var options = IngestOptions()
  var origin = "C"
  private var progress: feedcore_on_progress?
  private var context: UnsafeMutableRawPointer?

  /// - Parameter source: NULL for the defaults; otherwise its `size` states how many bytes it has
  init(_ source: UnsafePointer<feedcore_ingest_options>?) throws {
    guard let source else { return }
    let known = MemoryLayout<feedcore_ingest_options>.self
    let given = try Input.versioned(
      UnsafeRawPointer(source), minimum: known.offset(of: \.records) ?? known.size,
      into: feedcore_ingest_options(), "FEEDCORE_INGEST_OPTIONS_INIT")
    try take(flags: given)
    options.feed = try Input.optionalText(given.feed, given.feed_length, "feed")
      .map { name in try FeedName(name) }
    try take(form: given)
    origin = try Input.optionalText(given.origin, given.origin_length, "origin") ?? origin
    // C reads it up to its first zero byte.
    guard !origin.utf8.contains(0) else { throw Failure(FEEDCORE_MISUSE, "origin contains a zero") }
    let fields = try Input.text(
      given.indexed_fields, given.indexed_fields_length, "indexed_fields")
    options.indexedFields = QuotedList.paths(fields)
    if given.lanes > 0 { options.parsing.lanes = Int(clamping: given.lanes) }
    if given.allowed_rejects > 0 {
      options.allowance = .count(Int(clamping: given.allowed_rejects))
    }
    progress = given.progress
    context = given.context
  }

  /// The kind of the records, and for documents where they are and what their key is.
  private mutating func take(form given: feedcore_ingest_options) throws {
    options.records = try Input.optionalText(given.records, given.records_length, "records")
    options.key = QuotedList.paths(try Input.text(given.key, given.key_length, "key"))
    let kind = try Input.text(given.kind, given.kind_length, "kind")
    if kind == PayloadSchema.documentKind {
      options.form = .document
    } else if !kind.isEmpty {
      guard options.records == nil, options.key.isEmpty else {
        throw Failure(
          FEEDCORE_MISUSE, "the contract \(kind) defines its records and key; leave out both")
      }
      options.schema = try Self.schema(given.kind, given.kind_length)
    } else if options.records != nil || !options.key.isEmpty {
      options.form = .document
    }
  }

  private mutating func take(flags given: feedcore_ingest_options) throws {
    let flags = given.flags
    try Input.require(
      flags, among: FEEDCORE_APPEND, FEEDCORE_WAIT, FEEDCORE_LENIENT_DATES,
      FEEDCORE_REPLACE_SURROGATES, FEEDCORE_IF_ABSENT, FEEDCORE_IF_GENERATION, FEEDCORE_TIMED)
    options.appends = flags & FEEDCORE_APPEND != 0
    options.waits = flags & FEEDCORE_WAIT != 0
    if options.waits { try Input.requireNoCallback() }
    if flags & FEEDCORE_LENIENT_DATES != 0 { options.dates = .lenient }
    if flags & FEEDCORE_REPLACE_SURROGATES != 0 { options.parsing.loneSurrogates = .replace }
    if flags & FEEDCORE_IF_ABSENT != 0 { options.condition = .absent }
    if flags & FEEDCORE_IF_GENERATION != 0 {
      guard flags & FEEDCORE_IF_ABSENT == 0 else {
        throw Failure(FEEDCORE_MISUSE, "a feed cannot be absent and of a generation")
      }
      options.condition = .generation(given.generation)
    }
    if flags & FEEDCORE_TIMED != 0 {
      guard given.reference_seconds.isFinite else {
        throw Failure(FEEDCORE_MISUSE, "reference_seconds is not a time")
      }
      options.referenceSeconds = given.reference_seconds
    }
  }

  /// The contract of a kind; nil if no kind is given.
  static func schema(_ kind: UnsafePointer<CChar>?, _ length: Int) throws -> PayloadSchema? {
    guard let kind = try Input.optionalText(kind, length, "kind") else { return nil }
    guard let schema = PayloadCatalog.standard.schema(named: kind) else {
      let kinds = PayloadCatalog.standard.schemas.map(\.name).joined(separator: ", ")
      throw Failure(FEEDCORE_INVALID_KIND, "there is no such kind; there are \(kinds)")
    }
    return schema
  }

  /// Reports the progress to C; false if C wants to stop.
  func tell(_ progress: feedcore_progress) -> Bool {
    guard let call = self.progress else { return true }
    return FeedLock.duringCallback {
      withUnsafePointer(to: progress) { call(context, $0) == 0 }
    }
  }

  static var cancelled: Failure {
    Failure(FEEDCORE_CANCELLED, "the progress callback has cancelled it; nothing was published")
  }
}
