package import JSONStream

/// How to read documents whose records are stored as JSON texts.
package struct DocumentReading: Sendable {
  /// Which documents are records of a contract.
  package enum Contracts: Sendable {
    /// Documents that a contract of the catalog covers without loss.
    case lossless
    /// None.
    case none
  }

  /// The number of leading bytes that decide the form of a document.
  static let planningBytes = 1 << 20

  package var contracts = Contracts.lossless
  /// Where the records are, as a JSON Pointer; nil to find them.
  package var records: String?
  /// The plan of the document, if it is known; nil to find the records.
  package var plan: DocumentPlan?
  /// Whether the document itself is the only record.
  package var isSingle = false
  /// The paths whose values are the key, `#` for the position, or `member`; empty to find one.
  package var key: [String] = []
  /// The paths of further fields to look up by.
  package var indexes: [String] = []
  /// The object keys of the fields that a replaced feed indexes.
  package var keptIndexes: [[String]] = []
  /// What a schema file states.
  private var stated: StatedSchema?
  /// The schema of the feed to which the records are added.
  package var stored: PayloadSchema?
  /// The name of that feed.
  package var storedName = ""
  /// The schema of the feed that is replaced, used for an empty input.
  package var replaced: PayloadSchema?
  /// How contracts treat dates.
  package var dates = PayloadParser.Dates.strict
  /// The number of records in the feed to which the records are added.
  package var storedRecords = 0

  package init() {}

  /// Follows a schema file. A location or key that is already set takes precedence. The indexes of
  /// the file are added to those that are set.
  package mutating func follow(_ file: StatedSchema) {
    stated = file
    contracts = .none
    if records == nil, plan == nil, !isSingle {
      isSingle = file.framing == .single
      records = file.records
    }
    if key.isEmpty { key = file.key }
    indexes += file.indexes
  }

  /// The schema by which a document is read, and where its records are; without a plan, the schema is
  /// a contract, or nil if it is detected from the first record.
  package struct Choice {
    package var schema: PayloadSchema?
    package var plan: DocumentPlan?
    /// The fields that may become the key, the best one first; empty if it is known.
    package var candidates: [UInt16] = []
    /// The app's contract to which all documents so far conform.
    package var contract: PayloadSchema?
  }

  /// Decides how a document is read.
  ///
  /// - Parameters:
  ///   - head: its first bytes after white space.
  ///   - isComplete: whether these are all.
  ///   - known: the schema of the documents before it.
  ///   - isLast: whether no other document follows.
  /// - Throws: ``SchemaError`` for an invalid pointer or path, for a key or an index that no schema
  ///   can have, and for one that is missing from the feed to which the records are added.
  func choice(
    _ head: RawSpan, isComplete: Bool, _ catalog: PayloadCatalog, known: PayloadSchema?,
    isLast: Bool
  ) throws(SchemaError) -> Choice {
    if known == nil, let stored { try requireFields(of: stored) }
    let found = try find(head, isComplete: isComplete, after: known ?? stored)
    guard head.byteCount > 0 else {
      let schema = known ?? stored ?? replaced
      let hasNone = schema == nil && isLast
      return Choice(schema: schema, plan: hasNone ? nil : DocumentPlan(.lines))
    }
    if known == nil, stored == nil, !isLast, found.records.isEmpty, found.hasAllRecords {
      // The next document decides.
      return Choice(plan: found.plan)
    }
    if let schema = known ?? stored {
      return Choice(
        schema: schema, plan: try plan(of: found, after: schema), contract: schema.preset)
    }
    if mayBeContract,
      let contract = PresetFit.schema(of: catalog, head: head, found: found, dates: dates)
    {
      return Choice(schema: contract)
    }
    let conformed = PresetFit.conformed(of: catalog, head: head, found: found)
    let candidates = candidates(head, found, conformed, isLast: isLast)
    return try newChoice(found.plan, candidates: candidates, conformed)
  }

  /// The paths of the fields that may become the key, the best one first.
  ///
  /// - Parameter contract: the contract to which the first records conform. Its key becomes that of
  ///   the documents if all of them do, and need not distinguish them.
  private func candidates(
    _ head: RawSpan, _ found: RecordsFinder.Found, _ contract: PayloadSchema?, isLast: Bool
  ) -> [[String]] {
    // The values of columns have no paths of their own.
    guard key.isEmpty, found.plan.framing != .rows, found.columns == nil else { return [] }
    if isLast, found.hasAllRecords, let contract { return [contract.keyField.path] }
    let ranked = KeyCandidates.paths(in: head, of: found)
    guard let own = contract?.keyField.path else { return ranked }
    // One more serves documents that cease to conform. Each index takes a tenth of the time.
    let other = ranked.first { $0 != own }
    return ranked.filter { $0 == own || $0 == other } + (ranked.contains(own) ? [] : [own])
  }

  /// Whether a contract may be chosen: ``contracts`` allows it, and neither a location nor a key is
  /// requested.
  private var mayBeContract: Bool { contracts == .lossless && !hasPlace && key.isEmpty }

  /// Whether the location of the records is given instead of found.
  var hasPlace: Bool { records != nil || plan != nil || isSingle }

  /// - Parameter schema: the schema of the previous records, whose location is tried first.
  private func find(
    _ head: RawSpan, isComplete: Bool, after schema: PayloadSchema?
  ) throws(SchemaError) -> RecordsFinder.Found {
    if isSingle { return RecordsFinder.Found(plan: DocumentPlan(.single)) }
    var found: RecordsFinder.Found
    let isAtRoot = stated?.framing == .array || stated?.framing == .keyed
    if let pointer = records ?? plan.flatMap({ $0.path.isEmpty ? nil : $0.pointer })
      ?? (isAtRoot && plan == nil ? "" : nil)
    {
      do throws(JSONPath.Fault) {
        found = try RecordsFinder.plan(for: pointer, head: head, isComplete: isComplete)
      } catch {
        throw SchemaError("\(error)")
      }
    } else if stated == nil, let before = schema?.document?.plan,
      let again = RecordsFinder.plan(like: before, head: head, isComplete: isComplete)
    {
      found = again
    } else {
      found = RecordsFinder.plan(head: head, isComplete: isComplete)
    }
    if let plan {
      found.plan = plan
    } else if let framing = stated?.framing {
      state(framing, in: &found)
    }
    return found
  }

  /// Takes the framing that a schema file states. Only the bytes of a document distinguish an
  /// array, lines and concatenated values.
  private func state(_ framing: DocumentPlan.Framing, in found: inout RecordsFinder.Found) {
    let arrays: [DocumentPlan.Framing] = [.array, .rows]
    let sequences = arrays + [.lines, .concatenated, .sequence]
    let areBothArrays = arrays.contains(framing) && arrays.contains(found.plan.framing)
    let areBothSequences =
      found.plan.path.isEmpty && (records ?? "").isEmpty && sequences.contains(framing)
      && sequences.contains(found.plan.framing)
    guard found.plan.framing != framing, areBothArrays || !areBothSequences else { return }
    found.plan.framing = framing
    if !areBothArrays {
      // The sampled records belong to another plan.
      found.plan.path = records.flatMap { try? JSONPath(pointer: $0).objectKeys() } ?? []
      (found.records, found.hasAllRecords) = ([], false)
    }
  }

  /// Checks that the feed to which records are added has the requested key and indexes. Its records
  /// are not read again, so it cannot get others.
  private func requireFields(of stored: PayloadSchema) throws(SchemaError) {
    guard stored.document != nil else {
      throw SchemaError(
        "the feed \(storedName) has a contract, and the schema file describes documents; "
          + "leave it out, or replace the feed")
    }
    try stated?.requireIDs(of: stored, name: storedName)
    let wanted = try key.map { text throws(SchemaError) in
      PayloadSchema.pathText(try PayloadSchema.path(ofText: text))
    }
    guard wanted.isEmpty || wanted == stored.keyTexts else {
      throw SchemaError(
        "the key of the feed is \(QuotedList.text(ofPaths: stored.keyTexts)) and not"
          + " \(QuotedList.text(ofPaths: wanted)); an append keeps it, so replace the feed instead")
    }
    for index in indexes {
      let path = try PayloadSchema.path(ofText: index)
      guard
        stored.fields.contains(where: { $0.isIndexed && $0.path == path })
          || stored.keyField.path == path
      else {
        throw SchemaError(
          "the feed has no index of \(PayloadSchema.pathText(path)); an append adds none to JSON"
            + " records, so replace the feed instead")
      }
    }
  }

  /// The plan of a document whose records are added to those of other documents. Only members have
  /// keys. If the other records are not members, an object that might have members is one record.
  private func plan(
    of found: RecordsFinder.Found, after schema: PayloadSchema
  ) throws(SchemaError) -> DocumentPlan {
    let isKeyed = schema.document?.plan.framing == .keyed
    if isKeyed == (found.plan.framing == .keyed) { return found.plan }
    if !isKeyed { return DocumentPlan(.single) }
    if found.records.isEmpty, found.hasAllRecords { return found.plan }
    throw SchemaError(
      "the records of the feed are members of an object, and those of this document are not; give"
        + " their place by --records, or ingest them into another feed")
  }

  /// The choice for the first document of a new feed.
  private func newChoice(
    _ plan: DocumentPlan, candidates: [[String]], _ contract: PayloadSchema?
  ) throws(SchemaError) -> Choice {
    var form = DocumentForm(plan, key: plan.framing == .keyed ? .member : .position)
    var fields = stated?.fields ?? []
    var nextID = (fields.map(\.id).max() ?? 0) + 1
    func add(_ path: [String], isIndexed: Bool = false) throws(SchemaError) -> UInt16 {
      if let place = fields.firstIndex(where: { $0.path == path }) {
        let known = fields[place]
        fields[place] = .document(
          id: known.id, path: path, isIndexed: known.isIndexed || isIndexed,
          isImage: known.isImage)
        return known.id
      }
      var id = nextID
      nextID += 1
      // A schema file may state the last one.
      if id > DocumentForm.maximumFieldID {
        let used = Set(fields.map(\.id))
        guard let free = (1...DocumentForm.maximumFieldID).first(where: { !used.contains($0) })
        else {
          throw SchemaError("\(PayloadSchema.pathText(path)) needs an id, and none is free")
        }
        id = free
      }
      fields.append(.document(id: id, path: path, isIndexed: isIndexed))
      return id
    }
    var open: [UInt16] = []
    switch key {
    case []:
      if plan.framing != .keyed {
        open = try candidates.map { path throws(SchemaError) in try add(path) }
        let path = contract?.keyField.path
        let own = fields.first { $0.path == path }
        if let first = own?.id ?? open.first { form.key = .field(first) }
      }
    case [DocumentForm.positionKey]: form.key = .position
    case [DocumentForm.memberKey] where plan.framing == .keyed: form.key = .member
    case let paths where paths.count == 1:
      form.key = .field(try add(try PayloadSchema.path(ofText: paths[0])))
    case let paths:
      guard paths.count <= DocumentForm.maximumKeyParts else {
        throw SchemaError("a key has at most \(DocumentForm.maximumKeyParts) parts")
      }
      let id = try add([])
      form.compositions[id] = try paths.map(PayloadSchema.path(ofText:))
      form.key = .field(id)
    }
    for path in try indexes.map(PayloadSchema.path(ofText:)) + keptIndexes {
      _ = try add(path, isIndexed: true)
    }
    fields.sort { $0.id < $1.id }
    let schema = try PayloadSchema(documents: form, fields: fields)
    // Models look records up by the key of the contract.
    let hasItsKey = schema.keyField.path == contract?.keyField.path
    return Choice(
      schema: schema, plan: plan, candidates: open, contract: hasItsKey ? contract : nil)
  }
}
