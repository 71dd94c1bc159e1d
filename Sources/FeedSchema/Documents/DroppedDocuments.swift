package import JSONStream

/// Counts the values of documents that an append leaves out because the feed has them.
///
/// Lanes count every document that they read. Whether the feed has it is known only when it is
/// stored, so those that are left out are counted again, and subtracted at the end.
package final class DroppedDocuments {
  private static let lineEnd: [UInt8] = [0x0A]

  private let consumer: PayloadConsumer<DroppingSink>
  private let reader: RecordReader
  private var isEmpty = true

  /// - Parameter options: how the documents are read.
  package init(options: JSONOptions) {
    var reading = DocumentReading()
    reading.contracts = .none
    reading.plan = DocumentPlan(.lines)
    reading.key = ["#"]
    var options = options
    // The thread that stores the other documents counts these.
    options.lanes = 1
    consumer = PayloadConsumer(
      catalog: .standard, schema: nil, documents: reading, options: options, sink: DroppingSink())
    reader = RecordReader(consumer: consumer, file: "stored records", options: options)
  }

  /// Counts a document, by its compact text.
  ///
  /// - Throws: the fault of a text that is not a document.
  package func add(_ text: RawSpan) throws(JSONError) {
    isEmpty = false
    try reader.feed(text)
    try reader.feed(Self.lineEnd.span.bytes)
  }

  /// Ends the counting; nil if there was no document.
  func finish() throws(JSONError) -> DocumentStatistics? {
    guard !isEmpty else { return nil }
    try reader.finish()
    return consumer.countedStatistics()
  }
}
