#if Server
  import NIOCore
  import RESPWire

  /// The commands `GET` with which bytes that were received begin.
  ///
  /// Each step is taken for all of them before the next one, so that the processor waits for the
  /// memory of all answers at once and not of one after the other.
  struct KeyBatch {
    private struct Sought {
      var hash: UInt64 = 0
      var get: RESPDecoder.Get?
      var found: AnswerCache.Found?
    }

    static let largest = 16

    private(set) var count = 0
    private var sought = InlineArray<16, Sought>(repeating: Sought())

    /// Takes up to so many commands.
    init(_ bytes: Span<UInt8>, from start: Int, upTo limit: Int, _ decoder: borrowing RESPDecoder) {
      var place = start
      while count < min(limit, Self.largest), let get = decoder.get(in: bytes, at: place) {
        sought[count].get = get
        sought[count].hash = AnswerCache.hash(bytes.extracting(get.key).bytes)
        place = get.end
        count += 1
      }
    }

    /// Looks up where answers may lie.
    mutating func seek(in answers: borrowing AnswerCache) -> UInt8 {
      var touched: UInt8 = 0
      for index in 0..<count {
        guard let found = answers.candidate(hash: sought[index].hash) else { continue }
        sought[index].found = found
        touched &+= answers.touch(found)
      }
      return touched
    }

    /// Writes the answers that are there up to the first that is not, or of which an origin is not
    /// known to be right.
    ///
    /// - Returns: how many these were, and where their commands end
    func write(
      _ bytes: Span<UInt8>, from answers: borrowing AnswerCache, to buffer: inout ByteBuffer,
      if isRight: (AnswerCache.Origin) -> Bool
    ) -> (count: Int, end: Int)? {
      var end: Int?
      var last: AnswerCache.Origin?
      for index in 0..<count {
        guard let get = sought[index].get, let found = sought[index].found,
          answers.holds(bytes.extracting(get.key).bytes, at: found),
          found.origin == last || isRight(found.origin)
        else { return end.map { (index, $0) } }
        last = found.origin
        buffer.writeBytes(answers.storage.extracting(found.range))
        end = get.end
      }
      return end.map { (count, $0) }
    }
  }

  extension Keyspace {
    /// Writes the answers to the first of some commands that are known and still right, as
    /// `writeKnown` does for one.
    ///
    /// - Returns: how many these were, and where their commands end; nil for none
    func writeKnown(
      _ bytes: Span<UInt8>, from start: Int, upTo limit: Int, _ decoder: borrowing RESPDecoder,
      to output: inout RESPOutput
    ) -> (count: Int, end: Int)? {
      var batch = KeyBatch(bytes, from: start, upTo: limit, decoder)
      guard batch.count > 0 else { return nil }
      touched &+= batch.seek(in: answers)
      let known = batch.write(bytes, from: answers, to: &output.buffer) {
        isChecked($0) && isValid($0)
      }
      found += known?.count ?? 0
      return known
    }
  }
#endif
