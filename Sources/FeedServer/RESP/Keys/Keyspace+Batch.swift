#if Server
  import FeedRecord
  import FeedStorage
  import NIOCore
  import RESPWire

  /// The `GET` commands at the start of the received bytes.
  ///
  /// Each step is done for all of them before the next one. The processor then fetches the memory
  /// of all responses in parallel.
  struct KeyBatch {
    /// A key, and the possible location of its response.
    struct Sought {
      fileprivate(set) var hash: UInt64 = 0
      fileprivate(set) var get = RESPDecoder.Get()
      fileprivate(set) var found: RESPResponseCache.Found?
    }

    static let largest = 16

    private(set) var count = 0
    private var sought = InlineArray<16, Sought>(repeating: Sought())

    /// Parses up to `limit` commands.
    init(_ bytes: Span<UInt8>, from start: Int, upTo limit: Int, _ decoder: borrowing RESPDecoder) {
      var place = start
      while count < min(limit, Self.largest), let get = decoder.get(in: bytes, at: place) {
        sought[count].get = get
        sought[count].hash = RESPResponseCache.hash(bytes.extracting(get.key).bytes)
        place = get.end
        count += 1
      }
    }

    subscript(index: Int) -> Sought { sought[index] }

    /// Looks up the possible locations of responses.
    mutating func seek(in answers: borrowing RESPResponseCache) -> UInt8 {
      var touched: UInt8 = 0
      for index in 0..<count { touched &+= answers.touchSlots(hash: sought[index].hash) }
      for index in 0..<count {
        guard let found = answers.candidate(hash: sought[index].hash) else { continue }
        sought[index].found = found
        touched &+= answers.touch(found)
      }
      return touched
    }
  }

  extension Keyspace {
    /// Writes the responses to the first commands that have cached responses or read records, up to
    /// `byteCount` bytes of work.
    ///
    /// - Returns: the number of these commands, and the offset where they end
    func writeAnswers(
      _ bytes: Span<UInt8>, from start: Int, upTo limit: Int, _ decoder: borrowing RESPDecoder,
      within byteCount: Int, to output: inout RESPOutput
    ) -> (count: Int, end: Int) {
      var batch = KeyBatch(bytes, from: start, upTo: limit, decoder)
      touched &+= batch.seek(in: answers)
      prefetchRecords(batch, bytes)
      var end = start
      var validOrigin: RESPResponseCache.Origin?
      var isChanged = false
      let begun = work
      for index in 0..<batch.count {
        let sought = batch[index]
        let key = bytes.extracting(sought.get.key)
        // A new response may have overwritten the one that was found.
        let found = isChanged ? answers.candidate(hash: sought.hash) : sought.found
        if let found, answers.holds(key.bytes, at: found),
          found.origin == validOrigin || isValid(found.origin)
        {
          validOrigin = found.origin
          output.buffer.writeBytes(answers.storage.extracting(found.range))
          self.found += 1
        } else {
          // `answer` handles everything else.
          guard work - begun < byteCount, case .item(let name, let item)? = ServedKey(key),
            let isThere = try? writeRecord(key, sought.hash, name, item, to: &output)
          else { return (index, end) }
          if !isThere { output.null() }
          isChanged = true
        }
        end = sought.get.end
      }
      return (batch.count, end)
    }

    /// Prefetches the records of all commands without a cached response, for the first one's feed.
    /// Keys that a lookup must convert are skipped.
    private func prefetchRecords(_ batch: borrowing KeyBatch, _ bytes: Span<UInt8>) {
      guard batch.count > 1 else { return }
      var hashes = InlineArray<16, UInt64>(repeating: 0)
      var count = 0
      var sought: (slot: Int, feed: Feed)?
      for index in 0..<batch.count where batch[index].found == nil {
        let key = bytes.extracting(batch[index].get.key)
        guard case .item(let name, let item)? = ServedKey(key) else { continue }
        if sought == nil { sought = try? feed(key, name) }
        guard let sought, sought.feed.hasTextKeys else { return }
        guard isLastNamed(key.extracting(name), slot: sought.slot) else { continue }
        hashes[count] = KeyHash.hash(key.extracting(item).bytes)
        count += 1
      }
      guard count > 1, let sought else { return }
      sought.feed.prefetchRecords(withKeyHashes: hashes.span.extracting(first: count))
    }
  }
#endif
