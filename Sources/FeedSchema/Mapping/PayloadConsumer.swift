@_spi(Ingest) import FeedRecord
@_spi(Records) package import JSONStream
package import URLEscaping

/// Maps the records of one or more documents by one schema. The schema is given, or detected from
/// the first record.
package final class PayloadConsumer<Sink: PayloadSink>: RecordConsumer {
  /// The schema; nil until it is known.
  package private(set) var schema: PayloadSchema?
  /// Whether a later document has records of another kind than the first.
  package private(set) var hasKindConflict = false
  /// The number of records mapped so far.
  package private(set) var recordCount = 0
  /// The optional URLs of these records that are not absolute.
  package private(set) var oddURLs = OddURLCounts()
  /// The sink's error, if that has stopped the reading. It is the cause; the reader only reports
  /// that it was cancelled.
  package private(set) var failure: Sink.Failure?
  /// Whether keys of records that the contract does not name are counted.
  package var reportsOtherKeys = false
  /// The unselected keys that the lanes of the current document have counted.
  private var laneKeys: [UnselectedKeys] = []
  private let countedKeys = UnselectedKeys()
  /// Whether an empty input is a document without records instead of an error.
  package var acceptsEmpty = false
  /// False if another document follows, which may determine the kind if this one has no record.
  package var isLastDocument = true

  private let catalog: PayloadCatalog
  private let isNamed: Bool
  /// How to read documents without a contract; nil to read only records of contracts.
  private let documents: DocumentReading?
  private let options: JSONOptions
  /// The fields that may become the key of documents, the best one first.
  package private(set) var keyCandidates: [UInt16] = []
  /// The app's contract to which all documents so far conform; nil if there is none.
  private var conformed: ContractConversion?
  /// Why no schema of documents can be made. It is the cause of the error that ended the reading.
  package private(set) var planFailure: SchemaError?
  /// Whether the contract was chosen from the first records.
  package private(set) var hasChosenContract = false
  /// Whether the current document is the first one, whose envelope is kept.
  private var passesEnvelope = true
  /// The statistics of the lanes of the current document.
  private var laneStatistics: [LaneStatistics] = []
  private var counted = DocumentStatistics()
  private let dates: PayloadParser.Dates
  private let sink: Sink
  private var hasBegun = false
  /// The keys of arrays without records that came before the schema was known.
  private var emptyKeys: Set<String> = []

  /// - Parameters:
  ///   - catalog: the schemas to choose from.
  ///   - schema: the schema to use for any records; nil to detect it.
  ///   - dates: how to treat a date in another form than the contract's.
  ///   - documents: how to read documents without a contract; nil to reject them.
  ///   - options: how the documents are read.
  ///   - sink: receives the records.
  package init(
    catalog: PayloadCatalog, schema: PayloadSchema?, dates: PayloadParser.Dates = .strict,
    documents: DocumentReading? = nil, options: JSONOptions = JSONOptions(), sink: Sink
  ) {
    self.documents = documents
    self.options = options
    self.catalog = catalog
    self.dates = dates
    self.schema = schema
    self.sink = sink
    isNamed = schema != nil
  }

  package var recordKeys: [String] {
    if isNamed, let schema { return schema.recordKey.map { [$0] } ?? [] }
    return Array(Set(catalog.schemas.compactMap(\.recordKey))).sorted()
  }

  package func select(
    _ shape: DocumentShape, sample: RawSpan?, depth: Int
  ) -> SelectionChoice {
    if let planFailure { return .unknown(planFailure.message) }
    // A document without records has to fit a contract that was chosen before.
    let isChosen = hasChosenContract && sample != nil
    let isFixed = isNamed || isChosen || schema?.document != nil
    if !isFixed, let reason = findSchema(shape, sample, depth) {
      return .unknown(reason)
    }
    guard let schema else { return .nothing }
    if !hasBegun {
      hasBegun = true
      sink.begin(schema)
    }
    guard let form = schema.document else {
      var selection = RecordMapper.selection(for: schema)
      selection.reportsOtherKeys = reportsOtherKeys
      takeKeys()
      return .selected(
        selection,
        makeContext: reportsOtherKeys ? { [self] in makeUnselectedKeys() } : nil,
        makeBatch: { [self] in PayloadBatch(self, RecordMapper(schema, dates: dates)) })
    }
    takeStatistics()
    return .selected(
      .everything(naming: ValueCounter.namedPaths(schema, form, contract: conformed)),
      makeContext: { [self] in
        let before = recordCount + (documents?.storedRecords ?? 0)
        let statistics = LaneStatistics(
          ValueCounter(schema, form, recordsBefore: before, contract: conformed))
        laneStatistics.append(statistics)
        return statistics
      },
      makeBatch: { [self] in DocumentBatch(self, DocumentMapper(schema, form, options)) })
  }

  /// The keys of records that the contract does not name, the most frequent first. Call it when all
  /// documents have ended.
  package func otherKeys() -> [(path: [String], records: Int)] {
    takeKeys()
    return countedKeys.counts.map { path, count in
      (path.map { String(decoding: $0, as: UTF8.self) }, count)
    }
    .sorted { ($1.records, $0.path.joined()) < ($0.records, $1.path.joined()) }
  }

  /// The counts of keys of one lane.
  private func makeUnselectedKeys() -> UnselectedKeys {
    let keys = UnselectedKeys()
    laneKeys.append(keys)
    return keys
  }

  private func takeKeys() {
    for keys in laneKeys { countedKeys.add(keys) }
    laneKeys = []
  }

  // MARK: Documents

  package var planningBytes: Int {
    // With a named contract, only an empty input gets a plan: it has no records.
    documents == nil ? acceptsEmpty && isNamed ? 1 : 0 : DocumentReading.planningBytes
  }

  package func plan(head: RawSpan, isComplete: Bool) -> DocumentPlan? {
    guard let documents else { return head.byteCount == 0 ? DocumentPlan(.lines) : nil }
    if let schema, hasBegun, schema.document == nil { return nil }
    let choice: DocumentReading.Choice
    do throws(SchemaError) {
      choice = try documents.choice(
        head, isComplete: isComplete, catalog, known: hasBegun ? schema : nil,
        isLast: isLastDocument)
    } catch {
      planFailure = planFailure ?? error
      return nil
    }
    schema = choice.schema
    passesEnvelope = !hasBegun && choice.schema?.document != nil
    if !hasBegun, choice.plan != nil, let schema {
      keyCandidates = choice.candidates
      conformed = choice.contract.map { ContractConversion($0) }
      hasBegun = true
      sink.begin(schema)
    }
    if choice.plan == nil, choice.schema != nil { hasChosenContract = true }
    return choice.plan
  }

  package func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {
    if passesEnvelope { sink.takeEnvelope(text, isAfterRecords: isAfterRecords) }
  }

  /// The statistics of the values of all documents so far. Call it when a document has ended.
  package func statistics() -> DocumentStatistics {
    var statistics = countedStatistics()
    statistics.complete()
    return statistics
  }

  /// The same without the documents that were left out. Call it when all documents have ended.
  ///
  /// - Throws: the fault of a left-out text that is not a document.
  package func statistics(
    without dropped: DroppedDocuments
  ) throws(JSONError) -> DocumentStatistics {
    var statistics = countedStatistics()
    if let dropped = try dropped.finish() { statistics.subtract(dropped) }
    statistics.complete()
    return statistics
  }

  /// The same before members are ordered, and those of maps merged.
  func countedStatistics() -> DocumentStatistics {
    takeStatistics()
    var statistics = counted
    statistics.records = recordCount
    return statistics
  }

  /// The app's contract to which all documents conform; nil if there is none. Call it when all have
  /// ended.
  package func conformedContract() -> PayloadSchema? {
    takeStatistics()
    return conformed?.contract
  }

  private func takeStatistics() {
    for lane in laneStatistics {
      lane.withCounter { counter in
        counted.add(counter)
        if !counter.conforms { conformed = nil }
      }
    }
    laneStatistics = []
  }

  // The reason why no schema was found, or nil.
  private func findSchema(_ shape: DocumentShape, _ sample: RawSpan?, _ depth: Int) -> String? {
    var recordKey: String?
    if case .wrapped(let key) = shape { recordKey = key }
    guard let sample else { return findSchemaWithoutRecord(under: recordKey) }
    guard let paths = RecordOutline.paths(of: sample, depth: depth) else {
      return "expected a record, an object"
    }
    guard let found = catalog.schema(fitting: paths, recordKey: recordKey) else {
      let kinds = catalog.schemas.map(\.name).joined(separator: ", ")
      return catalog.schemas.count == 1
        ? "the record is none of \(kinds), the only kind that can be here; name another kind to"
          + " replace that" : "the record is of no known kind (\(kinds))"
    }
    if let schema, schema != found {
      hasKindConflict = true
      return "the records are of kind \(found.name), those before them of kind \(schema.name)"
    }
    if let other = emptyKeys.first(where: { $0 != found.recordKey }) {
      hasKindConflict = true
      return
        "the records are of kind \(found.name), and no \(other), of which there were none before"
    }
    schema = found
    return nil
  }

  private func findSchemaWithoutRecord(under key: String?) -> String? {
    // If there is only one kind, the document has it.
    if catalog.schemas.count == 1 { schema = catalog.schemas.first }
    guard let schema else {
      if isLastDocument { return "there are no records to tell the kind from; name it" }
      if let key { emptyKeys.insert(key) }
      return nil
    }
    guard let key, key != schema.recordKey else { return nil }
    hasKindConflict = true
    return "there are no \(key), and the records before are of kind \(schema.name)"
  }

  package var skipsRecords: Bool { sink.skipsRecords }

  fileprivate func take(
    _ records: inout RecordEncoder, _ oddURLs: [RecordMapper.OddURL]
  ) -> Bool {
    guard records.count > 0 else { return true }
    recordCount += records.count
    for url in oddURLs { self.oddURLs.add(url.shape) }
    do throws(Sink.Failure) {
      // The records are passed in place: the sink never calls back.
      try sink.take(&records)
    } catch {
      failure = error
      return false
    }
    records.removeAll()
    return true
  }

  package func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    try sink.reject(error, raw: raw)
  }

  package func failure(
    reportedBy object: borrowing RawSpan, _ shape: DocumentShape, recordCount: Int
  ) -> String? {
    guard let report = FailureReport(object) else { return nil }
    let candidates: [PayloadSchema]
    if let schema {
      candidates = [schema]
    } else if case .wrapped(let key) = shape {
      candidates = catalog.schemas.filter { $0.recordKey == key }
    } else {
      // An object of no known kind with a status may be anything, unless it explains the status.
      candidates = report.message == nil ? [] : catalog.schemas
    }
    let isFailure =
      report.breaks(candidates.compactMap(\.success)) || (recordCount == 0 && report.hasError)
    return isFailure ? "the service answers that it failed: \(report.text)" : nil
  }
}

/// The mapped records of one batch of documents.
private final class DocumentBatch<Sink: PayloadSink>: LaneBatch {
  private let consumer: PayloadConsumer<Sink>
  private var mapper: DocumentMapper

  init(_ consumer: PayloadConsumer<Sink>, _ mapper: consuming DocumentMapper) {
    self.consumer = consumer
    self.mapper = mapper
  }

  var recordCount: Int { mapper.encoder.count }

  func removeRecords(from index: Int) { mapper.encoder.removeRecords(from: index) }

  func map(_ tape: borrowing RecordTape, from record: Int) -> RecordFault? {
    mapper.map(tape, from: record)
  }

  func deliver() -> Bool { consumer.take(&mapper.encoder, []) }
}

/// The mapped records of one batch.
private final class PayloadBatch<Sink: PayloadSink>: LaneBatch {
  private let consumer: PayloadConsumer<Sink>
  private var mapper: RecordMapper

  init(_ consumer: PayloadConsumer<Sink>, _ mapper: consuming RecordMapper) {
    self.consumer = consumer
    self.mapper = mapper
  }

  var recordCount: Int { mapper.encoder.count }

  func removeRecords(from index: Int) {
    mapper.encoder.removeRecords(from: index)
    mapper.oddURLs.removeAll { $0.record >= index }
  }

  func map(_ tape: borrowing RecordTape, from record: Int) -> RecordFault? {
    mapper.map(tape, from: record)
  }

  func deliver() -> Bool {
    let oddURLs = exchange(&mapper.oddURLs, with: [])
    return consumer.take(&mapper.encoder, oddURLs)
  }
}
