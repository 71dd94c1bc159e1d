import JSONStream

/// Reads the content of a response: its body with the content coding undone, a piece at a time,
/// within limits.
struct ContentReader {
  /// The most that is inflated at a time.
  private static var pieceBytes: Int { 64 << 10 }

  private let limits: BodyLimits
  private let decoder: ContentDecoder?
  private var body: HTTPBody.Iterator
  private var receivedBytes = 0
  private var contentBytes = 0

  /// - Parameter name: what errors call the body.
  init(
    _ response: HTTPResponse, _ limits: BodyLimits, named name: String
  ) throws(RemoteError.Cause) {
    if let length = response.fields["Content-Length"].flatMap({ Int($0) }),
      length > limits.receivedBytes
    {
      throw .tooLarge(limit: limits.receivedBytes)
    }
    let coding = try Self.coding(response.fields)
    do throws(JSONError) {
      decoder = try coding.map { (coding) throws(JSONError) in
        try ContentDecoder(coding, named: name)
      }
    } catch {
      throw .payload(error)
    }
    self.limits = limits
    body = response.body.makeAsyncIterator()
  }

  private static func coding(
    _ fields: HTTPFields
  ) throws(RemoteError.Cause) -> ContentDecoder.Coding? {
    let names = fields.list("Content-Encoding").map { $0.lowercased() }.filter { $0 != "identity" }
    switch names {
    case []: return nil
    // The older name means the same (RFC 9110, section 8.4.1.3).
    case ["gzip"], ["x-gzip"]: return .gzip
    case ["deflate"]: return .deflate
    default: throw .contentCoding(names.joined(separator: ", "))
    }
  }

  /// The next bytes of the content, or nil behind the last.
  ///
  /// - Throws: ``RemoteError/Cause``; `CancellationError` where the task was cancelled.
  mutating func next() async throws -> [UInt8]? {
    guard let decoder else { return try await nextReceived() }
    while true {
      if let piece = try inflated(decoder) { return piece }
      guard let received = try await nextReceived() else {
        // A body of no bytes is an empty content, however it is said to be packed.
        if receivedBytes > 0 { try finish(decoder) }
        return nil
      }
      decoder.push(received)
    }
  }

  private mutating func nextReceived() async throws -> [UInt8]? {
    let received: [UInt8]
    do {
      guard let next = try await body.next() else { return nil }
      received = next
    } catch {
      throw RemoteError.Cause(transport: error) ?? error
    }
    receivedBytes += received.count
    guard receivedBytes <= limits.receivedBytes else {
      throw RemoteError.Cause.tooLarge(limit: limits.receivedBytes)
    }
    if decoder == nil { try count(received) }
    return received
  }

  private mutating func inflated(_ decoder: ContentDecoder) throws(RemoteError.Cause) -> [UInt8]? {
    let piece: [UInt8]?
    do throws(JSONError) {
      piece = try decoder.next(upTo: Self.pieceBytes)
    } catch {
      throw .payload(error)
    }
    if let piece { try count(piece) }
    return piece
  }

  private func finish(_ decoder: ContentDecoder) throws(RemoteError.Cause) {
    do throws(JSONError) {
      try decoder.finish()
    } catch {
      throw .payload(error)
    }
  }

  private mutating func count(_ piece: [UInt8]) throws(RemoteError.Cause) {
    contentBytes += piece.count
    guard contentBytes <= limits.contentBytes else {
      throw .tooLarge(limit: limits.contentBytes)
    }
  }
}
