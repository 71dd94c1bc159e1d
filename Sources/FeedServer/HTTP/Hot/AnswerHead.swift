#if Server
  import HTTPTypes
  import NIOCore

  /// The status line and the fields of a good answer, which is kept without its date.
  struct AnswerHead: Sendable {
    private static let status = Array("HTTP/1.1 200 OK\r\n".utf8)
    private static let length = Array("Content-Length: ".utf8)
    private static let date = Array("\r\nDate: ".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    /// Up to the value of the field before the date, which is the length.
    private let fields: [UInt8]
    private let bodyByteCount: Int

    /// - Parameter fields: those of its length and its date are left out
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

    /// The head of an answer that differs in its body alone; shares the bytes of this one.
    func with(bodyByteCount: Int) -> AnswerHead { AnswerHead(fields, bodyByteCount) }

    /// As many as there are without the date.
    var byteCount: Int {
      fields.count + String(bodyByteCount).utf8.count + Self.date.count + Self.end.count
    }

    /// - Parameter room: how many more bytes are going to be put behind it
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
