#if Server
  import HTTPTypes
  import Hummingbird
  import JSONStream
  import NIOCore

  extension Response {
    /// The answer as Hummingbird sends it.
    ///
    /// - Parameter pace: that of the client, which an answer in pieces follows.
    init(_ answer: HTTPAnswer, pace: ClientPace? = nil) {
      let fields = answer.sentFields
      switch answer.body {
      case .bytes(let bytes):
        self.init(
          status: answer.status, headers: fields,
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
      case .pieces(let pieces, let byteCount):
        let packing = answer.packing
        let body = ResponseBody(contentLength: byteCount) { writer in
          var pieces = pieces
          let stream = try packing.map { place in try PackedStream(place.format) }
          // A piece is not made before the connection can take it: none is held while it waits.
          var goesOn = true
          var hasRoom = false
          while goesOn {
            if !hasRoom { try await pace?.room() }
            hasRoom = true
            try await pieces.turns.enter()
            defer { pieces.turns.leave() }
            guard let piece = try await pieces.next() else {
              goesOn = false
              continue
            }
            if piece.isEmpty { continue }
            let bytes = try stream?.pack(piece, isLast: false) ?? piece
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            hasRoom = try await pace?.arrival() ?? true
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

    /// The same as it answers to HEAD.
    var withoutBody: Response {
      Response(status: status, headers: headers, body: .unsent(body.contentLength))
    }
  }

  extension ResponseBody {
    /// None, where a body of so many bytes was not asked for.
    fileprivate static func unsent(_ byteCount: Int?) -> ResponseBody {
      ResponseBody(contentLength: byteCount) { writer in try await writer.finish(nil) }
    }
  }
#endif
