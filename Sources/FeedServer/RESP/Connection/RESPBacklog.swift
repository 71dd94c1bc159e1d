#if Server
  import NIOCore

  /// Input of a client that waits until the input before it is answered.
  ///
  /// It consists of chunks, so that answering a few commands does not move megabytes. Its memory is at
  /// most twice its bytes.
  struct RESPBacklog {
    /// The maximum bytes of a chunk, unless more is received at once.
    private static let chunkBytes = 64 << 10

    private var chunks = CircularBuffer<ByteBuffer>()
    /// The chunk after all others.
    private var last = ByteBuffer()
    private(set) var byteCount = 0

    /// Adds a copy of received bytes, so that the receive buffer can be reused.
    mutating func append(_ bytes: inout ByteBuffer) {
      byteCount += bytes.readableBytes
      if last.readableBytes > 0, last.readableBytes + bytes.readableBytes > Self.chunkBytes {
        chunks.append(last)
        last = ByteBuffer()
      }
      last.writeBuffer(&bytes)
    }

    /// Removes the next bytes; nil if there are none.
    mutating func next() -> ByteBuffer? {
      var chunk = chunks.popFirst()
      if chunk == nil, last.readableBytes > 0 {
        chunk = last
        last = ByteBuffer()
      }
      byteCount -= chunk?.readableBytes ?? 0
      return chunk
    }
  }
#endif
