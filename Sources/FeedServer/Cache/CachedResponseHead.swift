#if Server
  import HTTPTypes
  import NIOCore

  /// The status line and the fields of a successful response, which are cached without the date.
  struct CachedResponseHead: Sendable {
    private static let status = Array("HTTP/1.1 200 OK\r\n".utf8)
    private static let length = Array("Content-Length: ".utf8)
    private static let date = Array("\r\nDate: ".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    /// The fields up to the value of the length, which is the last before the date.
    private let fields: [UInt8]
    private let bodyByteCount: Int

    /// - Parameter fields: without effect for length and date
    init(_ fields: HTTPFields, bodyByteCount: Int) {
      var bytes = Self.status
      for field in fields where field.name != .contentLength && field.name != .date {
        bytes += "\(field.name.rawName): \(field.value)\r\n".utf8
      }
      self.init(bytes + Self.length, bodyByteCount)
    }

    private init(_ fields: [UInt8], _ bodyByteCount: Int) {
      self.fields = fields
      self.bodyByteCount = bodyByteCount
    }

    /// The head of a response that differs only in its body. It shares this head's bytes.
    func with(bodyByteCount: Int) -> CachedResponseHead {
      CachedResponseHead(fields, bodyByteCount)
    }

    /// The number of bytes without the date.
    var byteCount: Int {
      fields.count + String(bodyByteCount).utf8.count + Self.date.count + Self.end.count
    }

    /// - Parameter room: extra capacity for bytes that are appended
    func buffer(date: String, room: Int = 0) -> ByteBuffer {
      var buffer = ByteBufferAllocator().buffer(capacity: byteCount + date.utf8.count + room)
      buffer.writeBytes(fields)
      buffer.writeString(String(bodyByteCount))
      buffer.writeBytes(Self.date)
      buffer.writeString(date)
      buffer.writeBytes(Self.end)
      return buffer
    }
  }
#endif
