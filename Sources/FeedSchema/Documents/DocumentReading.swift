package import JSONStream

/// How documents are read whose records are kept as they are.
package struct DocumentReading: Sendable {
  /// Which documents are records of a contract.
  package enum Contracts: Sendable {
    /// Those that a contract of the catalog covers without loss.
    case lossless
    /// None.
    case none
  }

  /// The number of bytes from which the form of a document is decided.
  static let planningBytes = 1 << 20

  package var contracts = Contracts.lossless
  /// Where the records are, as a JSON Pointer; nil to find them.
  package var records: String?
  /// Where the records are, if that is known; nil to find them.
  package var plan: DocumentPlan?
  /// Whether the document itself is the only record.
  package var isSingle = false
  /// The paths whose values are the key, `#` for the position, or `member`; empty to find one.
  package var key: [String] = []
  /// The paths of further fields to look up by.
  package var indexes: [String] = []
  /// The schema of the feed to which the records are added.
  package var stored: PayloadSchema?
  /// The schema of the feed that is replaced, for an input without a byte.
  package var replaced: PayloadSchema?
  /// How contracts take dates.
  package var dates = PayloadParser.Dates.strict
  /// The number of records of that feed.
  package var storedRecords = 0

  package init() {}

  /// The schema by which a document is read, and where its records are; without a plan, the schema is
  /// a contract, or nil if it is detected from the first record.
  package struct Choice {
    package var schema: PayloadSchema?
    package var plan: DocumentPlan?
    /// The fields that may become the key, the best one first; empty if it is known.
    package var candidates: [UInt16] = []
  }

  /// Decides how a document is read.
  ///
  /// - Parameters:
  ///   - head: its first bytes after white space.
  ///   - isComplete: whether these are all.
  ///   - known: the schema of the documents before it.
  ///   - isLast: whether no other document follows.
  /// - Throws: ``SchemaError`` for a key or an index that no schema can have.
  func choice(
    _ head: RawSpan, isComplete: Bool, _ catalog: PayloadCatalog, known: PayloadSchema?,
    isLast: Bool
  ) throws(SchemaError) -> Choice {
    guard head.byteCount > 0 else {
      let schema = known ?? stored ?? replaced
      let hasNone = schema == nil && isLast
      return Choice(schema: schema, plan: hasNone ? nil : DocumentPlan(.lines))
    }
    let found = find(head, isComplete: isComplete)
    if known == nil, stored == nil, !isLast, found.records.isEmpty, found.hasAllRecords {
      // The next document decides.
      return Choice(plan: found.plan)
    }
    if let schema = known ?? stored {
      return Choice(schema: schema, plan: plan(found.plan, after: schema))
    }
    if mayBeContract,
      let contract = PresetFit.schema(of: catalog, head: head, found: found, dates: dates)
    {
      return Choice(schema: contract)
    }
    // The values of columns have no paths of their own.
    let hasPaths = found.plan.framing != .rows && found.columns == nil
    let candidates = key.isEmpty && hasPaths ? KeyCandidates.paths(in: head, of: found) : []
    return try newChoice(found.plan, candidates: candidates)
  }

  /// Whether a contract may be chosen: nothing is asked for that only documents have.
  private var mayBeContract: Bool {
    contracts == .lossless && records == nil && plan == nil && !isSingle && key.isEmpty
  }

  private func find(_ head: RawSpan, isComplete: Bool) -> RecordsFinder.Found {
    if isSingle { return RecordsFinder.Found(plan: DocumentPlan(.single)) }
    let pointer = records ?? plan.flatMap { $0.path.isEmpty ? nil : $0.pointer }
    // An invalid pointer has been refused before.
    var found =
      pointer.flatMap { try? RecordsFinder.plan(for: $0, head: head, isComplete: isComplete) }
      ?? RecordsFinder.plan(head: head, isComplete: isComplete)
    if let plan { found.plan = plan }
    return found
  }

  /// The plan of a document whose records follow those of others. Members have keys and other records
  /// have none, so a document of the other sort is one record.
  private func plan(_ plan: DocumentPlan, after schema: PayloadSchema) -> DocumentPlan {
    let isKeyed = schema.document?.plan.framing == .keyed
    return isKeyed == (plan.framing == .keyed) ? plan : DocumentPlan(.single)
  }

  /// The choice for the first document of a new feed.
  private func newChoice(
    _ plan: DocumentPlan, candidates: [[String]]
  ) throws(SchemaError) -> Choice {
    var form = DocumentForm(plan, key: plan.framing == .keyed ? .member : .position)
    var fields: [PayloadSchema.Field] = []
    func add(_ path: [String], isIndexed: Bool = false) -> UInt16 {
      if let place = fields.firstIndex(where: { $0.path == path }) {
        let known = fields[place]
        fields[place] = .document(
          id: known.id, path: path, isIndexed: known.isIndexed || isIndexed)
        return known.id
      }
      let id = UInt16(fields.count + 1)
      fields.append(.document(id: id, path: path, isIndexed: isIndexed))
      return id
    }
    var open: [UInt16] = []
    switch key {
    case []:
      if plan.framing != .keyed {
        open = candidates.map { add($0) }
        if let first = open.first { form.key = .field(first) }
      }
    case ["#"]: form.key = .position
    case ["member"]: form.key = .member
    case let paths where paths.count == 1:
      form.key = .field(add(PayloadSchema.path(ofText: paths[0])))
    case let paths:
      guard paths.count <= DocumentForm.maximumKeyParts else {
        throw SchemaError("a key has at most \(DocumentForm.maximumKeyParts) parts")
      }
      let id = add([])
      form.compositions[id] = paths.map(PayloadSchema.path(ofText:))
      form.key = .field(id)
    }
    for index in indexes { _ = add(PayloadSchema.path(ofText: index), isIndexed: true) }
    let schema = try PayloadSchema(documents: form, fields: fields)
    return Choice(schema: schema, plan: plan, candidates: open)
  }
}
