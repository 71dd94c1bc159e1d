#if Server
  import HTTPTypes
  import Hummingbird
  import JSONStream
  import NIOCore
  import Threading

  extension Response {
    /// The response in Hummingbird's form.
    ///
    /// - Parameter backpressure: the backpressure of the client, for a response in chunks.
    init(_ answer: HTTPAnswer, backpressure: Backpressure? = nil) {
      let fields = answer.sentFields
      switch answer.body {
      case .bytes(let bytes):
        self.init(
          status: answer.status, headers: fields,
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
      case .chunks(let chunks, let byteCount):
        let compression = answer.compression
        let body = ResponseBody(contentLength: byteCount) { writer in
          var chunks = chunks
          let stream = try compression.map { permit in try PackedStream(permit.format) }
          // No chunk is produced before the connection can accept it, so none is in memory
          // meanwhile.
          var isAtEnd = false
          var isWritable = false
          while !isAtEnd {
            if !isWritable { try await backpressure?.waitUntilWritable() }
            isWritable = true
            try await chunks.turns.waitUnlessCancelled()
            defer { chunks.turns.signal() }
            guard let chunk = try await chunks.next() else {
              isAtEnd = true
              continue
            }
            if chunk.isEmpty { continue }
            let bytes = try stream?.pack(chunk, isLast: false) ?? chunk
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            isWritable = try await backpressure?.waitUntilWritten() ?? true
          }
          if let end = try stream?.pack([], isLast: true) {
            try await writer.write(ByteBuffer(bytes: end))
          }
          try await writer.finish(nil)
        }
        self.init(status: answer.status, headers: fields, body: body)
      case .unsent(let byteCount):
        self.init(status: answer.status, headers: fields, body: .unsent(byteCount))
      }
    }

    /// The same response to a HEAD request.
    var withoutBody: Response {
      Response(status: status, headers: headers, body: .unsent(body.contentLength))
    }
  }

  extension ResponseBody {
    /// An empty body that declares the length of one that was not requested.
    fileprivate static func unsent(_ byteCount: Int?) -> ResponseBody {
      ResponseBody(contentLength: byteCount) { writer in try await writer.finish(nil) }
    }
  }
#endif
