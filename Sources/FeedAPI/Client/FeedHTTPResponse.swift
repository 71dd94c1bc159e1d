import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The head of a response and its body.
public struct FeedHTTPResponse: Sendable {
  /// The status code (RFC 9110, section 15).
  public var status: Int
  /// The header fields.
  public var fields: FeedHTTPFields
  /// The body. It can be read once.
  public var body: FeedHTTPBody
  /// The URL of the final response, if redirects led to another one.
  public var url: URL?

  /// Makes a response.
  public init(
    status: Int, fields: FeedHTTPFields = [:], body: FeedHTTPBody = FeedHTTPBody(), url: URL? = nil
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.url = url
  }
}

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
