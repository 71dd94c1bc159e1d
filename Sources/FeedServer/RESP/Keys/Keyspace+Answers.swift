#if Server
  import FeedStorage
  import NIOCore

  extension Keyspace {
    /// Writes the cached response to a key if it is still valid; otherwise writes nothing and
    /// returns false.
    func writeCachedResponse(_ key: Span<UInt8>, to output: inout RESPOutput) -> Bool {
      guard let known = answers.find(key.bytes, hash: RESPResponseCache.hash(key.bytes)),
        isValid(known.origin)
      else { return false }
      output.buffer.writeBytes(answers.storage.extracting(known.range))
      found += 1
      return true
    }

    /// Writes the record with a key, and caches the response.
    ///
    /// - Parameter hash: the hash of all the bytes
    /// - Returns: false if there is none
    func writeRecord(
      _ bytes: Span<UInt8>, _ hash: UInt64, _ name: Range<Int>, _ key: Range<Int>,
      to output: inout RESPOutput
    ) throws(StoreError) -> Bool {
      guard let (slot, json) = try record(bytes, name, key) else { return false }
      let start = output.buffer.readableBytes
      output.bulk(json.span.bytes)
      let answer = output.buffer.readableBytesSpan
      answers.insert(
        bytes.bytes, hash: hash, answer.extracting(start..<answer.byteCount), feed: slot,
        epoch: validities[slot].epoch)
      recycle(json)
      return true
    }

    /// Writes the next chunk of an image, with the head before the first and the line end after the
    /// last.
    func write(
      _ transfer: inout ImageTransfer, to output: inout RESPOutput
    ) throws(StoreError) -> ImageTransfer.Step {
      var begun = transfer.begun
      let slice = transfer.slice
      defer { transfer.begun = begun }
      let step = try store.images()?.withImageData(for: transfer.url) {
        chunks throws(StoreError) -> ImageTransfer.Step in
        let description = chunks.description
        if let begun {
          guard begun.checksum == description.checksum, begun.byteCount == description.byteCount
          else { return .replaced }
        }
        var rest = begun?.rest ?? slice.range(of: description.byteCount)
        if begun == nil {
          count(isFound: true)
          output.bulkHead(rest.count)
        }
        var start = 0
        while !rest.isEmpty, let chunk = try chunks.next() {
          let part = (start..<start + chunk.byteCount).clamped(to: rest)
          if !part.isEmpty {
            output.buffer.writeBytes(
              chunk.extracting(part.lowerBound - start..<part.upperBound - start))
            rest = part.upperBound..<rest.upperBound
            break
          }
          start += chunk.byteCount
        }
        begun = ImageTransfer.Begun(
          checksum: description.checksum, byteCount: description.byteCount, rest: rest)
        if rest.isEmpty { output.endLine() }
        return rest.isEmpty ? .finished : .unfinished
      }
      if let step { return step }
      if begun == nil { count(isFound: false) }
      return begun == nil ? .missing : .replaced
    }
  }
#endif
