#if Server
  import HTTPTypes
  import JSONStream

  /// What a request is answered with.
  struct HTTPAnswer: Sendable {
    enum Body: Sendable {
      case bytes([UInt8])
      /// Made piece by piece while it is sent, of so many bytes if that is known.
      case pieces(any BodyPieces, byteCount: Int?)
      /// Not sent, because a head alone was asked for; of so many bytes if that is known.
      case unsent(byteCount: Int?)
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body: Body
    /// How pieces are packed while they are sent.
    var packing: PackingPlace?
    /// As long as this is so, the same request has the same answer; nil for answers that are not
    /// worth keeping.
    var condition: HotAnswer.Condition?

    init(
      _ status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Body = .bytes([])
    ) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    /// The same with a body that fits in one piece as a whole, so that its length is told before.
    func settled() async throws -> HTTPAnswer {
      guard case .pieces(var pieces, nil) = body else { return self }
      var answer = self
      var first: [UInt8] = []
      while first.isEmpty, !pieces.isAtEnd {
        try await pieces.turns.enter()
        defer { pieces.turns.leave() }
        first = try await pieces.next() ?? []
      }
      answer.body =
        pieces.isAtEnd
        ? .bytes(first) : .pieces(RejoinedPieces(begun: first, rest: pieces), byteCount: nil)
      return answer
    }

    /// The same with its body packed, unless it is one in pieces and too many are being packed.
    ///
    /// - Parameter bareTag: the validator of what is not packed
    func packed(_ coding: ContentCoding, bareTag: EntityTag? = nil) throws -> HTTPAnswer {
      guard let format = coding.format else { return self }
      var answer = self
      answer.fields[.contentEncoding] = coding.rawValue
      switch body {
      case .bytes(let bytes):
        answer.body = .bytes(try PackedStream(format).pack(bytes, isLast: true))
      case .pieces(let pieces, _):
        guard let place = PackingPlace(format) else {
          answer.fields[.contentEncoding] = nil
          answer.fields[.eTag] = bareTag?.field
          return answer
        }
        answer.body = .pieces(pieces, byteCount: nil)
        answer.packing = place
      case .unsent: break
      }
      return answer
    }

    /// The fields with that of every answer.
    var sentFields: HTTPFields {
      var fields = fields
      fields[.xContentTypeOptions] = "nosniff"
      return fields
    }

    /// The same as it answers to HEAD.
    var withoutBody: HTTPAnswer {
      var answer = self
      switch body {
      case .bytes(let bytes): answer.body = .unsent(byteCount: bytes.count)
      case .pieces(_, let count): answer.body = .unsent(byteCount: count)
      case .unsent: break
      }
      return answer
    }
  }

  /// A body that is made while it is sent: no more of it than a piece is ever in memory.
  protocol BodyPieces: Sendable {
    /// The next piece, some tens of kilobytes; nil at the end, and nothing where one was looked for
    /// in vain for a while, so that others can have their turn.
    ///
    /// - Throws: where the body cannot go on; the connection is closed then, so that the client
    ///   knows that something is missing.
    mutating func next() async throws -> [UInt8]?

    /// Whether the last piece is known to have been taken.
    var isAtEnd: Bool { get }

    /// Where a place is needed to have a piece made, and to hold it.
    var turns: Turnstile { get }
  }

  extension BodyPieces {
    var turns: Turnstile { ClientPace.turns }
  }

  /// A body of which the first piece was taken already.
  private struct RejoinedPieces: BodyPieces {
    var begun: [UInt8]?
    var rest: any BodyPieces

    var isAtEnd: Bool { begun == nil && rest.isAtEnd }
    var turns: Turnstile { rest.turns }

    mutating func next() async throws -> [UInt8]? {
      if let first = begun.take() { return first }
      return try await rest.next()
    }
  }

  extension HTTPFields {
    /// Sets a field that has no name of its own in the library.
    mutating func set(_ name: String, _ value: String?) {
      guard let name = HTTPField.Name(name) else { return }
      self[name] = value
    }
  }
#endif
