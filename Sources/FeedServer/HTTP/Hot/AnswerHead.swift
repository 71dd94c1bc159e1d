#if Server
  import HTTPTypes
  import NIOCore

  /// The status line and the fields of a good answer, which is kept without its date.
  struct AnswerHead: Sendable {
    private static let status = Array("HTTP/1.1 200 OK\r\n".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    /// Up to the value of the last field, which is the date.
    private let undated: [UInt8]

    init(_ fields: HTTPFields) {
      var bytes = Self.status
      for field in fields { bytes += "\(field.name.rawName): \(field.value)\r\n".utf8 }
      undated = bytes + "Date: ".utf8
    }

    /// As many as there are without the date.
    var byteCount: Int { undated.count + Self.end.count }

    /// - Parameter room: how many more bytes are going to be put behind it
    func buffer(date: String, room: Int = 0) -> ByteBuffer {
      var buffer = ByteBufferAllocator().buffer(capacity: byteCount + date.utf8.count + room)
      buffer.writeBytes(undated)
      buffer.writeString(date)
      buffer.writeBytes(Self.end)
      return buffer
    }
  }
#endif
