import Synchronization

/// The body of a response, in chunks as they arrive. It can be read once, by one task at a time.
public struct HTTPBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]

  private let nextChunk: @Sendable () async throws -> [UInt8]?

  /// A body whose chunks are asked for one after another.
  ///
  /// - Parameter nextChunk: gives a chunk, or nil behind the last one. What it captures is let go
  ///   with the body, which is how it learns that nobody wants more.
  public init(nextChunk: @escaping @Sendable () async throws -> [UInt8]?) {
    self.nextChunk = nextChunk
  }

  /// A body that is there already; empty by default.
  public init(_ bytes: [UInt8] = []) {
    let rest = RemainingBytes(bytes)
    self.init { rest.take() }
  }

  /// Begins to read, or goes on.
  public func makeAsyncIterator() -> Iterator { Iterator(nextChunk: nextChunk) }

  /// Gives one chunk after another.
  public struct Iterator: AsyncIteratorProtocol {
    let nextChunk: @Sendable () async throws -> [UInt8]?

    /// The next chunk, of any size, or nil behind the last.
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
