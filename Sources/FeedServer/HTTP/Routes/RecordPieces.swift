#if Server
  import FeedRecord
  import FeedStorage

  /// The records of one generation, piece by piece. Between two pieces it holds no snapshot.
  struct RecordPieces: BodyPieces {
    /// Appends a record, or nothing where it is not wanted; true where it did.
    typealias Append = @Sendable (borrowing RecordView, inout [UInt8]) throws(StoreError) -> Bool

    /// The first piece is small, as it waits until all who have asked before have theirs. The others
    /// grow, as each has to pass from thread to thread.
    private static let pieceBytes = (first: 16 << 10, most: 128 << 10)
    private let lease: LeasedFeed
    private let opening: [UInt8]
    private let separator: [UInt8]
    private let closing: [UInt8]
    private let append: Append
    private let threads: (any TaskExecutor)?
    private var position: Int
    private var hasOpened = false
    private var limit = Self.pieceBytes.first
    private var hasRecords = false
    /// Whether all records are written, and what stands behind them.
    private(set) var isAtEnd = false

    /// - Parameters:
    ///   - opening: stands before the records.
    ///   - separator: stands between two of them.
    ///   - closing: stands behind them.
    ///   - threads: where they are read, if not all of them are wanted.
    init(
      _ lease: LeasedFeed, from position: Int = 0, opening: String, separator: String,
      closing: String, on threads: (any TaskExecutor)? = nil, append: @escaping Append
    ) {
      self.lease = lease
      self.position = position
      self.opening = Array(opening.utf8)
      self.separator = Array(separator.utf8)
      self.closing = Array(closing.utf8)
      self.append = append
      self.threads = threads
    }

    mutating func next() async throws -> [UInt8]? {
      if isAtEnd { return nil }
      return try await withTaskExecutorPreference(threads) { try await piece() }
    }

    @concurrent
    private mutating func piece() async throws -> [UInt8]? {
      defer { limit = min(2 * limit, Self.pieceBytes.most) }
      var bytes: [UInt8] = []
      if !hasOpened { bytes = opening }
      hasOpened = true
      while bytes.count < limit {
        let start = position
        let goesOn = try step(&bytes)
        if !goesOn || position == start {
          isAtEnd = true
          bytes += closing
          break
        }
        await Task.yield()
        try Task.checkCancellation()
      }
      return bytes.isEmpty ? nil : bytes
    }

    /// Reads on for a while; false at the end of the feed.
    private mutating func step(_ bytes: inout [UInt8]) throws(StoreError) -> Bool {
      var step = SearchStep()
      try lease.forEachRecord(from: position) { record, at throws(StoreError) in
        let count = bytes.count
        if hasRecords { bytes += separator }
        if try append(record, &bytes) {
          hasRecords = true
        } else {
          bytes.removeSubrange(count...)
        }
        position = at + 1
        return step.goesOn(behind: record) && bytes.count < limit
      }
      return position < lease.description.recordCount
    }
  }
#endif
