#if Server
  import FeedRecord
  import FeedStorage
  import Threading

  /// Records of a feed, in chunks. It holds no snapshot between two chunks.
  struct RecordChunks: BodyChunks {
    /// Appends a record and returns true; returns false if the record is not wanted.
    typealias Append = @Sendable (borrowing RecordView, inout [UInt8]) throws(StoreError) -> Bool

    /// The first chunk is small, because it waits for those of earlier requests. Later ones grow,
    /// because each passes between threads.
    private static let chunkBytes = (first: 16 << 10, most: 128 << 10)
    private let feed: Feed
    private let opening: [UInt8]
    private let separator: [UInt8]
    private let closing: [UInt8]
    private let append: Append
    private let threads: (any TaskExecutor)?
    /// The positions of the remaining records, without empty runs.
    private var runs: ArraySlice<Range<Int>>
    private var hasOpened = false
    private var limit = Self.chunkBytes.first
    private var hasRecords = false
    /// The number of wanted records that are left out before the first one.
    private var skipped: Int
    /// The number of records that may still be written.
    private var remaining: Int
    /// Whether all records and the closing text are written.
    private(set) var isAtEnd = false

    var turns: AsyncSemaphore { threads == nil ? Backpressure.turns : Backpressure.searchTurns }

    /// - Parameters:
    ///   - runs: the positions of the records, in order.
    ///   - opening: the text before the records.
    ///   - separator: the text between two records.
    ///   - closing: the text after the records.
    ///   - threads: the threads that read them, if not all of them are wanted.
    ///   - window: which of the wanted records are written, counted from 0.
    init(
      _ feed: Feed, at runs: [Range<Int>], opening: [UInt8], separator: [UInt8],
      closing: [UInt8], on threads: (any TaskExecutor)? = nil,
      window: Range<Int> = 0..<Int.max, append: @escaping Append
    ) {
      self.feed = feed
      self.runs = runs.filter { !$0.isEmpty }[...]
      self.opening = opening
      self.separator = separator
      self.closing = closing
      self.append = append
      self.threads = threads
      skipped = window.lowerBound
      remaining = window.count
    }

    mutating func next() async throws -> [UInt8]? {
      if isAtEnd { return nil }
      return try await withTaskExecutorPreference(threads) { try await chunk() }
    }

    @concurrent
    private mutating func chunk() async throws -> [UInt8]? {
      try Task.checkCancellation()
      var bytes: [UInt8] = []
      if try !step(&bytes) { isAtEnd = true }
      // The opening is sent with the first records and not as a chunk of its own.
      if !hasOpened, isAtEnd || !bytes.isEmpty {
        bytes = opening + bytes
        hasOpened = true
      }
      if isAtEnd { bytes += closing }
      if !bytes.isEmpty { limit = min(2 * limit, Self.chunkBytes.most) }
      return bytes
    }

    /// Reads for a limited time; false at the end.
    private mutating func step(_ bytes: inout [UInt8]) throws(StoreError) -> Bool {
      var step = SearchStep()
      var shouldContinue = true
      while shouldContinue, remaining > 0, let run = runs.first {
        var rest = run
        try feed.scan(from: run.lowerBound) { record, at throws(StoreError) in
          let count = bytes.count
          if hasRecords { bytes += separator }
          var isWritten = try append(record, &bytes)
          if isWritten, skipped > 0 {
            skipped -= 1
            isWritten = false
          }
          if isWritten {
            hasRecords = true
            remaining -= 1
          } else {
            bytes.removeSubrange(count...)
          }
          rest = min(at + 1, run.upperBound)..<run.upperBound
          shouldContinue =
            step.shouldContinue(after: record) && bytes.count < limit && remaining > 0
          return shouldContinue && !rest.isEmpty
        }
        // The feed has no record at this position.
        guard rest != run, remaining > 0 else { return false }
        if rest.isEmpty { runs = runs.dropFirst() } else { runs[runs.startIndex] = rest }
      }
      return remaining > 0 && !runs.isEmpty
    }
  }

  extension [Range<Int>] {
    /// Adds a position that is after all others.
    mutating func append(position: Int) {
      guard let last, last.upperBound == position else {
        return append(position..<position + 1)
      }
      self[endIndex - 1] = last.lowerBound..<position + 1
    }
  }
#endif
