package import JSONStream

/// Infers the schema of documents from all of their records, without storing any.
package struct SchemaInference {
  /// The schema. Its key is that of the contract to which all records conform, and otherwise the best
  /// candidate of the first records.
  package private(set) var schema: PayloadSchema?
  package private(set) var statistics = DocumentStatistics()

  /// Reads files whose records would go into one feed. A single file is read a second time if its
  /// records are not where its first bytes suggest, as in an ingest.
  ///
  /// Memory does not grow with the files.
  ///
  /// - Throws: the first fault.
  package init(
    from paths: [String], _ reading: DocumentReading, options: JSONOptions,
    isCancelled: () -> Bool = { false }
  ) throws(JSONError) {
    var reading = reading
    reading.contracts = .none
    while let plan = try read(paths, reading, options, isCancelled) { reading.plan = plan }
  }

  /// Returns a better plan for the only file, or nil if it is read.
  private mutating func read(
    _ paths: [String], _ reading: DocumentReading, _ options: JSONOptions,
    _ isCancelled: () -> Bool
  ) throws(JSONError) -> DocumentPlan? {
    let consumer = PayloadConsumer(
      catalog: .standard, schema: nil, documents: reading, options: options, sink: DroppingSink())
    for (index, path) in paths.enumerated() {
      let source = try InputSource(path)
      let canReadAgain =
        paths.count == 1 && source.fileByteCount != nil && !reading.hasPlace
      consumer.isLastDocument = index == paths.count - 1
      let reader = RecordReader(consumer: consumer, file: source.name, options: options)
      do throws(JSONError) {
        try reader.read(from: source) { (_, _) throws(JSONError) in
          if isCancelled() { throw JSONError(.cancelled, "cancelled", file: source.name) }
        }
      } catch {
        guard canReadAgain, let plan = reader.planOfValues(after: error) else { throw error }
        return plan
      }
      if canReadAgain, let better = reader.betterPlan { return better.plan }
    }
    statistics = consumer.statistics()
    let contract = consumer.conformedContract()
    schema = consumer.schema?.conforming(to: contract)
    if contract == nil, let best = consumer.keyCandidates.first {
      schema = schema?.keyed(by: .field(best))
    }
    return nil
  }

  /// The schema as JSON text.
  package var text: [UInt8] { schema?.documentText(statistics) ?? [] }
}
