#if Server
  import HTTPTypes
  import JSONStream
  import Threading
  import Synchronization

  /// The response to a request.
  struct HTTPAnswer: Sendable {
    enum Body: Sendable {
      case bytes([UInt8])
      /// Produced in chunks while it is sent, with its length if known.
      case chunks(any BodyChunks, byteCount: Int?)
      /// Not sent, because only the head was requested; with its length if known.
      case unsent(byteCount: Int?)
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body: Body
    /// The compression of chunks while they are sent.
    var compression: CompressionPermit?
    /// The condition under which the same request has the same response; nil for responses that are
    /// not cached.
    var condition: CachedResponse.Condition?

    init(
      _ status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Body = .bytes([])
    ) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// The same response. A body that fits in one chunk is produced now, so that its length is
    /// known.
    func settled() async throws -> HTTPAnswer {
      guard case .chunks(var chunks, nil) = body else { return self }
      var answer = self
      var first: [UInt8] = []
      while first.isEmpty, !chunks.isAtEnd {
        try await chunks.turns.waitUnlessCancelled()
        defer { chunks.turns.signal() }
        first = try await chunks.next() ?? []
      }
      answer.body =
        chunks.isAtEnd
        ? .bytes(first) : .chunks(RejoinedChunks(begun: first, rest: chunks), byteCount: nil)
      return answer
    }

    /// The same response with its body compressed, unless it is sent in chunks and too many are
    /// being compressed.
    ///
    /// - Parameter bareTag: the validator of the uncompressed representation
    func packed(_ coding: ContentCoding, bareTag: EntityTag? = nil) throws -> HTTPAnswer {
      guard let format = coding.format else { return self }
      var answer = self
      answer.fields[.contentEncoding] = coding.rawValue
      switch body {
      case .bytes(let bytes):
        answer.body = .bytes(try PackedStream(format).pack(bytes, isLast: true))
      case .chunks(let chunks, _):
        guard let permit = CompressionPermit(format) else {
          answer.fields[.contentEncoding] = nil
          answer.fields[.eTag] = bareTag?.field
          return answer
        }
        answer.body = .chunks(chunks, byteCount: nil)
        answer.compression = permit
      case .unsent: break
      }
      return answer
    }

    /// The same response with further fields.
    func adding(_ further: [(name: String, value: String)]) -> HTTPAnswer {
      var answer = self
      for field in further { answer.fields.set(field.name, field.value) }
      return answer
    }

    /// The fields, with those common to all responses.
    var sentFields: HTTPFields {
      var fields = fields
      fields[.xContentTypeOptions] = "nosniff"
      return fields
    }
  }

  /// A body that is produced while it is sent. At most one chunk is in memory.
  protocol BodyChunks: Sendable {
    /// The next chunk, some tens of kilobytes. Nil at the end, and empty after a while without a
    /// result, so that others get their turn.
    ///
    /// - Throws: if the body cannot continue; the connection is then closed, so that the client
    ///   notices that the body is incomplete.
    mutating func next() async throws -> [UInt8]?

    /// Whether the last chunk is known to have been returned.
    var isAtEnd: Bool { get }

    /// The semaphore that limits how many chunks are produced and held.
    var turns: AsyncSemaphore { get }
  }

  extension BodyChunks {
    var turns: AsyncSemaphore { Backpressure.turns }
  }

  /// A body whose first chunk was already produced.
  private struct RejoinedChunks: BodyChunks {
    var begun: [UInt8]?
    var rest: any BodyChunks

    var isAtEnd: Bool { begun == nil && rest.isAtEnd }
    var turns: AsyncSemaphore { rest.turns }

    mutating func next() async throws -> [UInt8]? {
      if let first = begun.take() { return first }
      return try await rest.next()
    }
  }

  extension HTTPFields {
    /// Sets a field for which the library has no constant.
    mutating func set(_ name: String, _ value: String?) {
      guard let name = HTTPField.Name(name) else { return }
      self[name] = value
    }
  }

  /// The permit to compress a body while it is sent. It is released with this object.
  ///
  /// A compressor holds hundreds of kilobytes for as long as a slow client reads. The number of
  /// permits is limited; further bodies are sent uncompressed.
  final class CompressionPermit: Sendable {
    private static let permits = 128
    private static let free = Mutex(permits)

    let format: PackedStream.Format

    /// Nil if all permits are in use.
    init?(_ format: PackedStream.Format) {
      let isFree = Self.free.withLock { free in
        guard free > 0 else { return false }
        free -= 1
        return true
      }
      guard isFree else { return nil }
      self.format = format
    }

    deinit { Self.free.withLock { $0 += 1 } }
  }

  // The client's types in FeedAPI have the same names.
  typealias HTTPFields = HTTPTypes.HTTPFields
  typealias HTTPRequest = HTTPTypes.HTTPRequest
  typealias HTTPResponse = HTTPTypes.HTTPResponse
#endif
