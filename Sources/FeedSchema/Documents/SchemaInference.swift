package import JSONStream

/// Infers the schema of documents from all of their records, without storing any.
package struct SchemaInference {
  /// The schema. Its key is that of the contract to which all records conform, and otherwise the best
  /// candidate of the first records.
  package private(set) var schema: PayloadSchema?
  package private(set) var statistics = DocumentStatistics()

  /// Reads files whose records would go into one feed.
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
    let consumer = PayloadConsumer(
      catalog: .standard, schema: nil, documents: reading, options: options, sink: DroppingSink())
    for (index, path) in paths.enumerated() {
      let source = try InputSource(path)
      consumer.isLastDocument = index == paths.count - 1
      let reader = RecordReader(consumer: consumer, file: source.name, options: options)
      try reader.read(from: source) { (_, _) throws(JSONError) in
        if isCancelled() { throw JSONError(.cancelled, "cancelled", file: source.name) }
      }
    }
    statistics = consumer.statistics()
    let contract = consumer.conformedContract()
    schema = consumer.schema?.conforming(to: contract)
    if contract == nil, let best = consumer.keyCandidates.first {
      schema = schema?.keyed(by: .field(best))
    }
  }

  /// The schema as JSON text.
  package var text: [UInt8] { schema?.documentText(statistics) ?? [] }
}
