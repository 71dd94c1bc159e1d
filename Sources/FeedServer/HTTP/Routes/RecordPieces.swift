#if Server
  import FeedRecord
  import FeedStorage

  /// Records of one generation, piece by piece. Between two pieces it holds no snapshot.
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
    /// The positions of the records that are left, without empty runs.
    private var runs: ArraySlice<Range<Int>>
    private var hasOpened = false
    private var limit = Self.pieceBytes.first
    private var hasRecords = false
    /// Whether all records are written, and what stands behind them.
    private(set) var isAtEnd = false

    var turns: Turnstile { threads == nil ? ClientPace.turns : ClientPace.searchTurns }

    /// - Parameters:
    ///   - runs: the positions of the records, in order.
    ///   - opening: stands before the records.
    ///   - separator: stands between two of them.
    ///   - closing: stands behind them.
    ///   - threads: where they are read, if not all of them are wanted.
    init(
      _ lease: LeasedFeed, at runs: [Range<Int>], opening: [UInt8], separator: [UInt8],
      closing: [UInt8], on threads: (any TaskExecutor)? = nil, append: @escaping Append
    ) {
      self.lease = lease
      self.runs = runs.filter { !$0.isEmpty }[...]
      self.opening = opening
      self.separator = separator
      self.closing = closing
      self.append = append
      self.threads = threads
    }

    mutating func next() async throws -> [UInt8]? {
      if isAtEnd { return nil }
      return try await withTaskExecutorPreference(threads) { try await piece() }
    }

    @concurrent
    private mutating func piece() async throws -> [UInt8]? {
      try Task.checkCancellation()
      var bytes: [UInt8] = []
      if try !step(&bytes) { isAtEnd = true }
      // What stands before the records is kept for the first of them: it is no piece of its own.
      if !hasOpened, isAtEnd || !bytes.isEmpty {
        bytes = opening + bytes
        hasOpened = true
      }
      if isAtEnd { bytes += closing }
      if !bytes.isEmpty { limit = min(2 * limit, Self.pieceBytes.most) }
      return bytes
    }

    /// Reads on for a while; false at the end.
    private mutating func step(_ bytes: inout [UInt8]) throws(StoreError) -> Bool {
      var step = SearchStep()
      var goesOn = true
      while goesOn, let run = runs.first {
        var rest = run
        try lease.forEachRecord(from: run.lowerBound) { record, at throws(StoreError) in
          let count = bytes.count
          if hasRecords { bytes += separator }
          if try append(record, &bytes) {
            hasRecords = true
          } else {
            bytes.removeSubrange(count...)
          }
          rest = min(at + 1, run.upperBound)..<run.upperBound
          goesOn = step.goesOn(behind: record) && bytes.count < limit
          return goesOn && !rest.isEmpty
        }
        // The feed has no record there.
        guard rest != run else { return false }
        if rest.isEmpty { runs = runs.dropFirst() } else { runs[runs.startIndex] = rest }
      }
      return !runs.isEmpty
    }
  }

  extension [Range<Int>] {
    /// Adds a position that is behind all others.
    mutating func append(position: Int) {
      guard let last, last.upperBound == position else {
        return append(position..<position + 1)
      }
      self[endIndex - 1] = last.lowerBound..<position + 1
    }
  }
#endif
