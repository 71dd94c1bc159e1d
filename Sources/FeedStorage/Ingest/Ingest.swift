@_spi(Ingest) import FeedRecord
import FeedSchema
public import JSONStream
import URLEscaping

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One ingest: the files of one command, or the bytes of one body, into one generation.
final class Ingest: PayloadSink {
  private let database: FeedDatabase
  let options: IngestOptions
  private let isCancelled: () -> Bool
  private let onReject: (JSONError, RawSpan) -> Void
  private var schema: PayloadSchema?
  /// The name of a feed of documents if none was given.
  private let defaultName: String
  private var writer: GenerationWriter?
  private var rejected = 0
  /// The statistics of the feed to which documents are added.
  private var storedStatistics: DocumentStatistics?
  /// The feed whose copy could not be brought up to date for an append, and why.
  private var refreshFailure: (name: FeedName, error: StoreError)?
  /// The key of the documents to be replaced, if it is no position and none was given.
  private var replacedKey: [String]?
  private var envelopeFailure: StoreError?
  /// Counts the documents that the feed already has; nil unless documents are added to a feed.
  var dropped: DroppedDocuments?
  /// The location of the records in the documents of the feed that is added to.
  private(set) var storedPlan: DocumentPlan?
  /// Weak, since it refers to its sink.
  private weak var consumer: PayloadConsumer<Ingest>?
  private let began = ContinuousClock.now

  /// - Parameter source: the first file, or the URL of a body.
  init(
    _ database: FeedDatabase, _ options: IngestOptions, source: String,
    isCancelled: @escaping () -> Bool, onReject: @escaping (JSONError, RawSpan) -> Void
  ) {
    defaultName = FeedName.text(forFile: source)
    self.database = database
    self.options = options
    self.isCancelled = { FeedLock.duringCallback(isCancelled) }
    self.onReject = { error, raw in FeedLock.duringCallback { onReject(error, raw) } }
  }

  /// The outcome of ingesting files.
  enum Outcome {
    case published(IngestReport)
    /// The records are elsewhere in the file. It has to be read a second time.
    case readAgain(DocumentPlan, occurrence: Int?)
  }

  func run(
    _ paths: [String], progress: (IngestProgress) -> Void
  ) throws(IngestError) -> Outcome {
    guard !paths.isEmpty else { throw IngestError(StoreError(.misuse, "no files were given")) }
    do throws(IngestError) {
      let reading = try read(paths, progress: progress)
      if let plan = reading.betterPlan {
        abandon()
        return .readAgain(plan, occurrence: reading.occurrence)
      }
      return .published(
        try finish(reading, origin: reading.names.joined(separator: " ")))
    } catch {
      abandon()
      throw error
    }
  }

  private func read(
    _ paths: [String], progress: (IngestProgress) -> Void
  ) throws(IngestError) -> Reading {
    var reading = Reading()
    let consumer = makeConsumer()
    try naming(consumer) { () throws(JSONError) in
      for (index, path) in paths.enumerated() {
        let source = try InputSource(path)
        consumer.isLastDocument = index == paths.count - 1
        // A wrong guess is corrected once.
        let canReadAgain = paths.count == 1 && source.fileByteCount != nil && options.plan == nil
        let reader = RecordReader(
          consumer: consumer, file: source.name, options: options.parsing,
          occurrence: options.occurrence, canReadAgain: canReadAgain)
        let before = reading
        let total = paths.count == 1 ? source.fileByteCount : nil
        let fileBytes: Int
        do throws(JSONError) {
          fileBytes = try reader.read(from: source) { (bytes, fileBytes) throws(JSONError) in
            if isCancelled() { throw JSONError(.cancelled, "cancelled; nothing was published") }
            let state = IngestProgress(
              bytes: before.bytes + bytes, fileBytes: before.fileBytes + fileBytes,
              totalBytes: total, records: consumer.recordCount)
            FeedLock.duringCallback { progress(state) }
          }
        } catch {
          guard canReadAgain, let plan = planOfValues(after: error, reader) else {
            throw hinting(error, reader)
          }
          reading.betterPlan = plan
          return
        }
        reading.add(
          reader, canReadAgain: canReadAgain, isGuess: !options.hasPlace, after: storedPlan)
        reading.names.append(source.name)
        reading.fileBytes += fileBytes
      }
    }
    try finish(&reading, consumer)
    return reading
  }

  func makeConsumer() -> PayloadConsumer<Ingest> {
    var documents: DocumentReading?
    var schema = options.schema
    if schema == nil, options.form != .contract {
      var reading = DocumentReading()
      reading.contracts = options.form == .automatic ? .lossless : .none
      reading.records = options.records
      reading.isSingle = options.isSingleRecord
      reading.plan = options.plan
      reading.dates = options.dates
      reading.key = options.key
      reading.indexes = options.indexedFields
      if let stated = options.stated { reading.follow(stated) }
      if let feed = findStoredFeed(), let stored = feed.schema {
        reading.replaced = stored
        if options.stated == nil, options.key.isEmpty, !options.appends,
          let key = stored.document?.key, key != .position
        {
          replacedKey = stored.keyTexts
        }
        let keepsIndexes = options.keepsIndexes && options.stated == nil
        if keepsIndexes, !options.appends, stored.document != nil {
          let limit = max(0, StoreFormat.maximumFieldIndexes - options.indexedFields.count)
          reading.keptIndexes = Array(stored.fields.filter(\.isIndexed).map(\.path).prefix(limit))
        }
        if !options.appends || (stored.document != nil && feed.recordCount == 0) {
          // Nothing of the feed is kept.
        } else if stored.document == nil, options.stated == nil {
          schema = stored
        } else {
          reading.stored = stored
          storedPlan = stored.document?.plan
          reading.storedName = feed.name.text
          reading.storedRecords = feed.recordCount
          storedStatistics = DocumentStatistics(schemaText: feed.schemaText)
        }
      }
      documents = schema == nil ? reading : nil
    }
    let consumer = PayloadConsumer(
      catalog: options.catalog, schema: schema, dates: options.dates, documents: documents,
      options: options.parsing, sink: self)
    consumer.acceptsEmpty = true
    consumer.reportsOtherKeys = true
    self.consumer = consumer
    return consumer
  }

  /// The feed to be replaced or added to. Nil if it does not exist yet, or if it cannot be read,
  /// which the writer then reports.
  private func findStoredFeed() -> FeedDescription? {
    guard let name = options.feed ?? (try? FeedName(defaultName)) else { return nil }
    // Records that are added have the layout of the latest generation, which another host may have.
    if options.appends {
      do throws(StoreError) {
        try database.authority?.refreshForChange(of: name, in: database, isCancelled: isCancelled)
      } catch {
        refreshFailure = (name, error)
      }
    }
    return try? database.feed(named: name, isRequest: false)?.description
  }

  /// Runs a step of reading and maps its error to the original cause.
  func naming(
    _ consumer: PayloadConsumer<Ingest>, _ step: () throws(JSONError) -> Void
  ) throws(IngestError) {
    do throws(JSONError) {
      try step()
    } catch {
      if let failure = consumer.failure { throw IngestError(failure) }
      if let failure = consumer.planFailure {
        throw IngestError(StoreError(.misuse, failure.message, cause: failure))
      }
      if consumer.hasKindConflict { throw IngestError(.severalKinds, "\(error)") }
      throw IngestError(consumer.hasChosenContract ? hinting(error, consumer) : error)
    }
  }

  /// The plan to read an input again that is several values, if `error` is at the start of the
  /// second one. Nil after any other error, and if the location of the records was given.
  private func planOfValues(after error: JSONError, _ reader: RecordReader) -> DocumentPlan? {
    options.hasPlace || options.isSingleRecord ? nil : reader.planOfValues(after: error)
  }

  /// Adds a hint if the input is several values and the bytes used for planning ended inside the
  /// first.
  func hinting(_ error: JSONError, _ reader: RecordReader) -> JSONError {
    guard planOfValues(after: error, reader) != nil else { return error }
    var error = error
    error.reason +=
      " (a first value of more than 1 MiB was taken for the whole document; ingest it alone and from"
      + " a file, which is read again)"
    return error
  }

  /// Adds the hint that the contract was chosen from the first records.
  private func hinting(_ error: JSONError, _ consumer: PayloadConsumer<Ingest>) -> JSONError {
    guard error.kind == .schema, let name = consumer.schema?.name else { return error }
    var error = error
    error.reason +=
      " (\(name) was chosen from the first records; use --kind json to ingest any JSON)"
    return error
  }

  /// Publishes the input.
  func finish(
    _ reading: Reading, origin: String, _ details: IngestDetails = IngestDetails()
  ) throws(IngestError) -> IngestReport {
    try refuseIfTooManyBad()
    let feed = try publish(reading, origin: origin, details)
    var report = IngestReport(
      feed: feed, records: writer?.recordCount ?? 0, rejected: rejected, bytes: reading.bytes,
      unusableURLs: reading.oddURLs.unusable(withBase: feed.baseURL != nil))
    report.otherRecords = reading.otherRecords
    report.plan = reading.plan
    if let replacedKey, let key = feed.schema?.keyTexts, key != replacedKey {
      report.replacedKey = replacedKey
    }
    report.droppedKeys = reading.otherKeys
    if let statistics = reading.statistics {
      report.misfits = options.stated?.misfits(in: statistics) ?? []
    }
    StorageEvents.ingested(report, in: .now - began)
    return report
  }

  /// Removes the written data, unless it was published.
  func abandon() { writer?.abandon() }

  private func refuseIfTooManyBad() throws(IngestError) {
    guard case .percent(let percent) = options.allowance, rejected > 0 else { return }
    let good = writer.map { $0.recordCount + $0.droppedCount } ?? 0
    guard Double(rejected) * 100 / Double(good + rejected) > percent else { return }
    throw IngestError(
      .tooManyRejected,
      "\(rejected) of \(good + rejected) records are bad, more than the \(percent) % allowed")
  }

  private func publish(
    _ reading: Reading, origin: String, _ details: IngestDetails
  ) throws(IngestError) -> FeedDescription {
    do throws(StoreError) {
      if let envelopeFailure { throw envelopeFailure }
      let writer = try openWriter()
      if isCancelled() { throw StoreError(.cancelled, "cancelled; nothing was published") }
      let now = Date().timeIntervalSinceReferenceDate
      return try writer.publish(
        referenceSeconds: details.referenceSeconds ?? options.referenceSeconds ?? now,
        origin: origin, validators: details.validators ?? options.validators,
        envelope: reading.envelope?.text ?? [],
        envelopeInsertion: reading.envelope?.insertion ?? 0, documents: outcome(reading))
    } catch {
      throw IngestError(error)
    }
  }

  private func outcome(_ reading: Reading) -> DocumentOutcome? {
    guard let schema, schema.document != nil, let statistics = reading.addedStatistics else {
      return nil
    }
    var all = statistics
    if let storedStatistics { all.merge(storedStatistics) }
    return DocumentOutcome(
      schema, candidates: reading.candidates,
      indexedFields: schema.fields.filter(\.isIndexed).map(\.id), statistics: all,
      contract: reading.contract)
  }

  private func openWriter() throws(StoreError) -> GenerationWriter {
    if let writer { return writer }
    guard let schema else { throw StoreError(.misuse, "no schema was chosen") }
    let name: FeedName
    if let feed = options.feed {
      name = feed
    } else {
      let isUnnamed = schema.name == PayloadSchema.documentKind
      name = try FeedName(isUnnamed ? defaultName : schema.name)
    }
    // The records were read without knowledge of the feed's latest state.
    if let refreshFailure, refreshFailure.name == name { throw refreshFailure.error }
    var request = GenerationRequest(name, schema)
    request.candidates = consumer?.keyCandidates ?? []
    request.indexedFields = try indexedFields(schema)
    request.keepsIndexes = options.keepsIndexes
    request.mode = options.appends ? .append : .replace
    request.condition = options.condition
    request.wait = FeedWait(waits: options.waits, timeout: options.waitTimeout)
    let opened = try database.beginGeneration(request, isCancelled: isCancelled)
    if options.appends { countDropped(by: opened, schema) }
    writer = opened
    return opened
  }

  private func indexedFields(_ schema: PayloadSchema) throws(StoreError) -> [UInt16] {
    var fields = schema.fields.filter(\.isIndexed).map(\.id)
    // The schema of documents already includes the requested fields.
    if schema.document != nil { return fields }
    for name in options.indexedFields {
      guard let field = schema.field(named: name) else {
        let names = schema.fields.map(\.name).joined(separator: ", ")
        throw StoreError(
          .misuse, "\(schema.name) have no field \(name) to be indexed; their fields are \(names)")
      }
      let type = schema.layout.fields.first { $0.id == field.id }?.type
      guard let type, KeyField.canIndex(type) else {
        throw StoreError(
          .misuse,
          "\(schema.name) cannot be indexed by \(name); texts, URLs, UUIDs, whole numbers and lists"
            + " of texts can be looked up")
      }
      fields.append(field.id)
    }
    return fields
  }

  var skipsRecords: Bool {
    if case .none = options.allowance { false } else { true }
  }

  func begin(_ schema: PayloadSchema) { self.schema = schema }

  func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {
    guard envelopeFailure == nil else { return }
    do throws(StoreError) {
      try openWriter().appendEnvelope(text, isAfterRecords: isAfterRecords)
    } catch {
      envelopeFailure = error
    }
  }

  func take(_ records: inout RecordEncoder) throws(StoreError) {
    if let envelopeFailure { throw envelopeFailure }
    try openWriter().append(records)
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    switch options.allowance {
    case .none: throw error
    case .count(let allowed) where rejected >= allowed: throw error
    case .count, .percent: break
    }
    rejected += 1
    onReject(error, raw)
  }
}

extension FeedDatabase {
  /// Reads payload files into one feed and publishes it, or changes nothing.
  ///
  /// The documents are streamed, so memory does not grow with them. They form one generation.
  /// Readers see the old one until the new one is published.
  ///
  /// - Parameters:
  ///   - paths: files in the order of their records; `-` is standard input.
  ///   - options: how to ingest them.
  ///   - isCancelled: called about once per megabyte; true stops and leaves nothing behind.
  ///   - onReject: called with each skipped record and its text.
  ///   - progress: called about once per megabyte.
  /// - Returns: a report, once the result survives a power cut.
  /// - Throws: ``IngestError``. Nothing has been published then, unless the message says that the
  ///   feed was published and not made durable.
  public func ingest(
    _ paths: [String], options: IngestOptions = IngestOptions(),
    isCancelled: @escaping () -> Bool = { false },
    onReject: (JSONError, RawSpan) -> Void = { _, _ in },
    progress: (IngestProgress) -> Void = { _ in }
  ) throws(IngestError) -> IngestReport {
    try withoutActuallyEscaping(onReject) { (onReject) throws(IngestError) in
      var options = options
      while true {
        let ingest = Ingest(
          self, options, source: paths.first ?? "", isCancelled: isCancelled,
          onReject: onReject)
        switch try ingest.run(paths, progress: progress) {
        case .published(let report): return report
        case .readAgain(let plan, let occurrence):
          options.plan = plan
          options.occurrence = occurrence
        }
      }
    }
  }
}
