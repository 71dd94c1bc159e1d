@_spi(Records) package import JSONStream

/// Finds the contract that holds the records of a document without loss.
package enum PresetFit {
  /// The contract of a catalog that names every key of the first records and whose fields accept
  /// their values; nil if there is none. Of several, the one with the most required fields.
  ///
  /// The array of records must be at the contract's location. A top-level array, lines, and a
  /// single object may have records of any contract. Fields next to the records do not matter.
  ///
  /// - Parameters:
  ///   - head: the first bytes of the document, in which the records were found.
  ///   - dates: the dates that are accepted.
  package static func schema(
    of catalog: PayloadCatalog, head: RawSpan, found: RecordsFinder.Found,
    dates: PayloadParser.Dates = .strict
  ) -> PayloadSchema? {
    let candidates = catalog.schemas.filter { hasFraming(of: $0, found) }
    guard !found.records.isEmpty else {
      // Without a record, only the location can determine the contract.
      return candidates.count == 1 && found.hasAllRecords ? candidates.first : nil
    }
    var best: PayloadSchema?
    for schema in candidates
    where fits(
      ContractOutline(schema, dates: dates, otherKeys: .refused), head, found.records)
    {
      if let best, best.requiredCount >= schema.requiredCount { continue }
      best = schema
    }
    return best
  }

  /// The contract of an app to which the first records of a document conform; nil if there is none.
  /// The records may have further keys, and may be anywhere in the document. Of several contracts,
  /// the one with the most required fields.
  ///
  /// - Parameters:
  ///   - catalog: the contracts to choose from. Only contracts of the apps are considered.
  ///   - head: the first bytes of the document, in which the records were found.
  static func conformed(
    of catalog: PayloadCatalog, head: RawSpan, found: RecordsFinder.Found
  ) -> PayloadSchema? {
    // Members have their own keys, and the values of rows have no names.
    guard ![.keyed, .rows].contains(found.plan.framing), found.columns == nil,
      !found.records.isEmpty
    else { return nil }
    let known = catalog.schemas.compactMap(\.preset)
    for schema in known.sorted(by: { $0.requiredCount > $1.requiredCount })
    where fits(ContractOutline(schema, otherKeys: .allowed), head, found.records) {
      return schema
    }
    return nil
  }

  private static func hasFraming(
    of schema: PayloadSchema, _ found: RecordsFinder.Found
  ) -> Bool {
    guard found.columns == nil else { return false }
    switch found.plan.framing {
    case .array: return found.plan.path.isEmpty || found.plan.path == [schema.recordKey]
    case .lines, .single: return true
    case .concatenated, .sequence, .keyed, .rows: return false
    }
  }

  private static func fits(
    _ outline: ContractOutline, _ head: RawSpan, _ records: [Range<Int>]
  ) -> Bool {
    for record in records where !outline.accepts(head, at: record.lowerBound) { return false }
    return true
  }
}
