import Synchronization

/// The body of a response, in chunks as they arrive. It can be read once, by one task at a time.
public struct FeedHTTPBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]

  private let nextChunk: @Sendable () async throws -> [UInt8]?

  /// A body whose chunks are requested one after another.
  ///
  /// - Parameter nextChunk: returns a chunk, or nil at the end. Its captures are released with the
  ///   body, which signals that no further chunk is needed.
  public init(nextChunk: @escaping @Sendable () async throws -> [UInt8]?) {
    self.nextChunk = nextChunk
  }

  /// A body in memory; empty by default.
  public init(_ bytes: [UInt8] = []) {
    let rest = RemainingBytes(bytes)
    self.init { rest.take() }
  }

  /// Starts to read, or continues.
  public func makeAsyncIterator() -> Iterator { Iterator(nextChunk: nextChunk) }

  /// Returns one chunk after another.
  public struct Iterator: AsyncIteratorProtocol {
    let nextChunk: @Sendable () async throws -> [UInt8]?

    /// The next chunk, of any size, or nil at the end.
    public func next() async throws -> [UInt8]? { try await nextChunk() }
  }
}

private final class RemainingBytes: Sendable {
  private let bytes: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

  func take() -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = [] }
      return bytes.isEmpty ? nil : bytes
    }
  }
}
