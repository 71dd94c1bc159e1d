import JSONStream

/// Reads the content of a response in chunks, within limits. It decodes the body's content coding
/// and, if requested, decompresses a file that is compressed itself.
struct ContentReader {
  private let limits: BodyLimits
  private let name: String
  private let coding: Unpacking?
  /// The compression of the file in the decoded content, once it is known.
  private var packing: Unpacking?
  private var isPackingKnown: Bool
  private var body: FeedHTTPBody.Iterator
  /// Bytes that were read to detect the compression and are not yet returned.
  private var head: [UInt8] = []
  private var receivedBytes = 0
  private var decodedBytes = 0
  private var contentBytes = 0

  /// - Parameters:
  ///   - unpacksFiles: whether a compressed file is decompressed.
  ///   - name: the name of the body in errors.
  init(
    _ response: FeedHTTPResponse, _ limits: BodyLimits, unpacksFiles: Bool, named name: String
  ) throws(RemoteError.Cause) {
    if let length = response.fields["Content-Length"].flatMap({ Int($0) }),
      length > limits.receivedBytes
    {
      throw .tooLarge(limit: limits.receivedBytes)
    }
    coding = try Self.coding(response.fields).map { (coding) throws(RemoteError.Cause) in
      try Unpacking(coding, named: name)
    }
    self.limits = limits
    self.name = name
    isPackingKnown = !unpacksFiles
    body = response.body.makeAsyncIterator()
  }

  private static func coding(
    _ fields: FeedHTTPFields
  ) throws(RemoteError.Cause) -> ContentDecoder.Coding? {
    let names = fields.list("Content-Encoding").map { $0.lowercased() }.filter { $0 != "identity" }
    switch names {
    case []: return nil
    // The older name means the same (RFC 9110, section 8.4.1.3).
    case ["gzip"], ["x-gzip"]: return .gzip
    case ["deflate"]: return .deflate
    // RFC 8878, section 7.2.
    case ["zstd"]: return .zstd
    default: throw .contentCoding(names.joined(separator: ", "))
    }
  }

  /// The next bytes of the content, or nil at its end.
  ///
  /// - Throws: ``RemoteError/Cause``; `CancellationError` if the task was cancelled.
  mutating func next() async throws -> [UInt8]? {
    if !isPackingKnown { try await findPacking() }
    guard let packing else { return try await nextDecoded() }
    let piece = try await packing.next { try await nextDecoded() }
    try Self.count(piece, &contentBytes, limits.contentBytes)
    return piece
  }

  private mutating func findPacking() async throws {
    var found = ContentHead()
    while !found.isComplete {
      let piece = try await nextReceivedOrDecoded()
      if piece?.isEmpty != true { found.append(piece ?? []) }
    }
    head = found.bytes
    isPackingKnown = true
    let coding: ContentDecoder.Coding?
    do throws(JSONError) {
      coding = try found.coding(named: name)
    } catch {
      throw RemoteError.Cause.payload(error)
    }
    packing = try coding.map { (coding) throws(RemoteError.Cause) in
      try Unpacking(coding, named: name)
    }
  }

  private mutating func nextDecoded() async throws -> [UInt8]? {
    guard head.isEmpty else {
      defer { head = [] }
      return head
    }
    return try await nextReceivedOrDecoded()
  }

  private mutating func nextReceivedOrDecoded() async throws -> [UInt8]? {
    let piece =
      if let coding {
        try await coding.next { try await nextReceived() }
      } else {
        try await nextReceived()
      }
    try Self.count(piece, &decodedBytes, limits.contentBytes)
    return piece
  }

  private mutating func nextReceived() async throws -> [UInt8]? {
    let piece: [UInt8]?
    do {
      piece = try await body.next()
    } catch {
      throw RemoteError.Cause(transport: error) ?? error
    }
    try Self.count(piece, &receivedBytes, limits.receivedBytes)
    return piece
  }

  private static func count(
    _ piece: [UInt8]?, _ sum: inout Int, _ limit: Int
  ) throws(RemoteError.Cause) {
    sum += piece?.count ?? 0
    guard sum <= limit else { throw .tooLarge(limit: limit) }
  }
}
