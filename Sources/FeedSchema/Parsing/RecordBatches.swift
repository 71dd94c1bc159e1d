public import JSONStream
import Threading

/// The batches of one document, read on a separate thread while they are awaited.
///
/// The thread is at most two batches ahead of the iteration, so memory is bounded. It stops if the
/// iterating task is cancelled or the iterator is released. It notices that before the next batch,
/// or within 50 ms while no input arrives. A cancelled iteration throws an error of kind
/// `cancelled`.
public struct RecordBatches: AsyncSequence, Sendable {
  public typealias Element = RecordBatch
  public typealias Failure = JSONError

  private let parser: PayloadParser
  private let path: String

  init(_ parser: PayloadParser, path: String) {
    self.parser = parser
    self.path = path
  }

  /// Starts to read the document.
  public func makeAsyncIterator() -> Iterator { Iterator(BatchProducer(parser, path: path)) }

  /// The records one by one. Between two records of one batch there is no suspension and no
  /// allocation. A record costs a few nanoseconds more than in a loop over its batch.
  public var records: Records { Records(batches: self) }

  /// Iterates over the batches.
  public struct Iterator: AsyncIteratorProtocol {
    private let producer: BatchProducer

    init(_ producer: BatchProducer) { self.producer = producer }

    /// The next batch, or nil after the last.
    ///
    /// - Throws: the first fault in the document, after all records before it.
    public func next(isolation actor: isolated (any Actor)?) async throws(JSONError) -> RecordBatch?
    {
      try await producer.next(isolation: actor)
    }
  }

  /// The records of one document.
  public struct Records: AsyncSequence, Sendable {
    public typealias Element = ParsedRecord
    public typealias Failure = JSONError

    let batches: RecordBatches

    /// Starts to read the document.
    public func makeAsyncIterator() -> Iterator { Iterator(batches.makeAsyncIterator()) }

    /// Iterates over the records.
    public struct Iterator: AsyncIteratorProtocol {
      private var batches: RecordBatches.Iterator
      private var batch: RecordBatch?
      private var count = 0
      private var index = 0

      init(_ batches: RecordBatches.Iterator) { self.batches = batches }

      /// The next record, or nil after the last.
      ///
      /// - Throws: the same errors as the iterator of the batches.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(JSONError) -> ParsedRecord? {
        while index >= count {
          guard let next = try await batches.next(isolation: actor) else { return nil }
          batch = next
          count = next.count
          index = 0
        }
        guard let batch else { return nil }
        defer { index += 1 }
        return ParsedRecord(batch: batch, indexInBatch: index)
      }
    }
  }
}
