public import JSONStream
import Threading

/// The batches of one document, read on a thread of their own while they are awaited.
///
/// The thread is at most two batches ahead of the one who iterates, so memory is bounded. It is
/// told to stop when the iterating task is cancelled or the iterator is gone, which it sees before
/// the next batch, or within 50 ms while nothing comes; a cancelled iteration throws an error of
/// kind `cancelled`.
public struct RecordBatches: AsyncSequence, Sendable {
  public typealias Element = RecordBatch
  public typealias Failure = JSONError

  private let parser: PayloadParser
  private let path: String

  init(_ parser: PayloadParser, path: String) {
    self.parser = parser
    self.path = path
  }

  /// Begins to read the document.
  public func makeAsyncIterator() -> Iterator { Iterator(BatchProducer(parser, path: path)) }

  /// The records one by one. Between two of one batch there is neither a suspension nor an
  /// allocation: a record costs a few nanoseconds more than in a loop over its batch.
  public var records: Records { Records(batches: self) }

  /// Gives one batch after another.
  public struct Iterator: AsyncIteratorProtocol {
    private let producer: BatchProducer

    init(_ producer: BatchProducer) { self.producer = producer }

    /// The next batch, or nil behind the last.
    ///
    /// - Throws: the first fault by its place in the document, when all records before it have
    ///   been given.
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

    /// Begins to read the document.
    public func makeAsyncIterator() -> Iterator { Iterator(batches.makeAsyncIterator()) }

    /// Gives one record after another.
    public struct Iterator: AsyncIteratorProtocol {
      private var batches: RecordBatches.Iterator
      private var batch: RecordBatch?
      private var count = 0
      private var index = 0

      init(_ batches: RecordBatches.Iterator) { self.batches = batches }

      /// The next record, or nil behind the last.
      ///
      /// - Throws: as the iterator of the batches.
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
