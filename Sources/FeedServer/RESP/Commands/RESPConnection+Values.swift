#if Server
  import FeedStorage
  import Logging
  import NIOCore

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  // Commands that read the values of keys.
  extension RESPConnection {
    private var keyspace: Keyspace { worker.keyspace }

    /// `GET` and `MGET`. Long responses are sent as the client receives them.
    func answerValues(_ request: borrowing RESPRequest, isArray: Bool) -> RESPOutcome {
      if !isArray, progress == nil, keyspace.writeCachedResponse(request[1], to: &worker.output) {
        return .answered
      }
      if isArray, progress == nil { output.array(request.count - 1) }
      var progress = progress ?? RESPProgress()
      self.progress = nil
      while progress.index < request.count {
        switch sendValue(request[progress.index], &progress) {
        case .missing, .finished:
          progress.index += 1
          progress.image = nil
          guard progress.index < request.count, hasDoneEnough else { continue }
          fallthrough
        case .unfinished:
          self.progress = progress
          return .unfinished
        case .replaced:
          // A started bulk string cannot be withdrawn.
          return .refuse(.slowReader)
        }
      }
      return .answered
    }

    private var hasDoneEnough: Bool {
      output.buffer.readableBytes >= worker.limits.flushBytes
        || keyspace.work >= worker.limits.sliceBytes
    }

    private func sendValue(
      _ key: Span<UInt8>, _ progress: inout RESPProgress
    ) -> ImageTransfer.Step {
      if progress.image == nil, keyspace.writeCachedResponse(key, to: &worker.output) {
        return .finished
      }
      do throws(StoreError) {
        switch ServedKey(key) {
        case .image(let url):
          guard let url = try keyspace.imageURL(key.extracting(url)) else { break }
          return try sendImage(url, .whole, &progress)
        case .item(let name, let item):
          let hash = RESPResponseCache.hash(key.bytes)
          if try keyspace.writeRecord(key, hash, name, item, to: &worker.output) {
            return .finished
          }
        default:
          switch try keyspace.value(key) {
          case .bytes(let bytes)?:
            output.bulk(bytes.span.bytes)
            return .finished
          case .unfinished?: return .unfinished
          case .image?, nil: break
          }
        }
        output.null()
        return .missing
      } catch {
        return failed(error, progress)
      }
    }

    private func sendImage(
      _ url: String, _ slice: ByteSlice, _ progress: inout RESPProgress
    ) throws(StoreError) -> ImageTransfer.Step {
      var transfer = progress.image ?? ImageTransfer(url: url, slice: slice)
      defer { progress.image = transfer }
      while true {
        let step = try keyspace.write(&transfer, to: &worker.output)
        if step == .missing { output.null() }
        guard step == .unfinished else { return step }
        flush()
        guard isWritable, keyspace.work < worker.limits.sliceBytes else { return .unfinished }
      }
    }

    /// Reports an error of the store, unless an image is partly sent.
    private func failed(_ error: StoreError, _ progress: RESPProgress) -> ImageTransfer.Step {
      if progress.image?.begun != nil { return .replaced }
      _ = fail(error)
      return .finished
    }

    /// Responds with an error of the store. Clients know `LOADING` as an error to try again after.
    func fail(_ error: StoreError) -> RESPOutcome {
      if keyspace.takeIsCopying() { return fail("LOADING \(error.message)") }
      worker.context.logger.error(
        "a command could not be answered", metadata: ["error": "\(error)"])
      return fail("ERR \(error.code): \(error.message)")
    }

    func answerExists(_ request: borrowing RESPRequest) -> RESPOutcome {
      var progress = progress ?? RESPProgress()
      self.progress = nil
      while progress.index < request.count {
        do throws(StoreError) {
          switch try keyspace.presence(request[progress.index]) {
          case .absent: break
          case .until: progress.sum += 1
          case .unfinished:
            self.progress = progress
            return .unfinished
          }
        } catch {
          return fail(error)
        }
        progress.index += 1
        if progress.index < request.count, keyspace.work >= worker.limits.sliceBytes {
          self.progress = progress
          return .unfinished
        }
      }
      output.integer(progress.sum)
      return .answered
    }

    /// `TTL`, `PTTL`, `EXPIRETIME` and `PEXPIRETIME`: -2 for a missing key, -1 for a key without
    /// expiry.
    func answerExpiry(
      _ command: RESPCommand, _ request: borrowing RESPRequest
    ) -> RESPOutcome {
      do throws(StoreError) {
        switch try keyspace.presence(request[1]) {
        case .absent: output.integer(-2)
        case .until(.infinity): output.integer(-1)
        case .until(let expiry): output.integer(Self.time(expiry, command, now: keyspace.now))
        case .unfinished: return .unfinished
        }
      } catch {
        return fail(error)
      }
      return .answered
    }

    /// The expiry of a key in the unit of a command.
    private static func time(_ expiry: Double, _ command: RESPCommand, now: Double) -> Int {
      let isPoint = command == .expiretime || command == .pexpiretime
      let origin = isPoint ? -Date.timeIntervalBetween1970AndReferenceDate : now
      let milliseconds = max(Int(saturating: ((expiry - origin) * 1_000).rounded()), 0)
      let isExact = command == .pttl || command == .pexpiretime
      return isExact ? milliseconds : milliseconds / 1_000 + (milliseconds % 1_000) / 500
    }

    func answerType(_ request: borrowing RESPRequest) -> RESPOutcome {
      do throws(StoreError) {
        switch try keyspace.presence(request[1]) {
        case .absent: output.simple("none")
        case .until: output.simple("string")
        case .unfinished: return .unfinished
        }
      } catch {
        return fail(error)
      }
      return .answered
    }

    func answerLength(_ request: borrowing RESPRequest) -> RESPOutcome {
      do throws(StoreError) {
        let value = try keyspace.value(request[1])
        if case .unfinished? = value { return .unfinished }
        output.integer(value?.byteCount ?? 0)
      } catch {
        return fail(error)
      }
      return .answered
    }

    /// `GETRANGE`
    func answerRange(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard let first = request.integer(2), let last = request.integer(3) else {
        return fail("ERR value is not an integer or out of range")
      }
      let slice = ByteSlice(first: first, last: last)
      var progress = progress ?? RESPProgress()
      self.progress = nil
      do throws(StoreError) {
        if case .image(let url)? = ServedKey(request[1]) {
          return try answerRange(
            ofImage: keyspace.imageURL(request[1].extracting(url)), slice, &progress)
        }
        switch try keyspace.value(request[1]) {
        case .bytes(let bytes)?:
          output.bulk(bytes.span.bytes.extracting(slice.range(of: bytes.count)))
        case .unfinished?: return .unfinished
        case .image?, nil: output.bulk("")
        }
      } catch {
        return failed(error, progress) == .replaced ? .refuse(.slowReader) : .answered
      }
      return .answered
    }

    private func answerRange(
      ofImage url: String?, _ slice: ByteSlice, _ progress: inout RESPProgress
    ) throws(StoreError) -> RESPOutcome {
      var url = url
      if let text = url, progress.image == nil {
        url = try keyspace.hasImage(text) ? text : nil
      }
      guard let url else {
        output.bulk("")
        return .answered
      }
      switch try sendImage(url, slice, &progress) {
      case .missing, .finished: return .answered
      case .unfinished:
        self.progress = progress
        return .unfinished
      case .replaced: return .refuse(.slowReader)
      }
    }
  }

  extension Int {
    /// The nearest whole number.
    init(saturating value: Double) {
      self = value.isNaN ? 0 : Int(exactly: value) ?? (value < 0 ? .min : .max)
    }
  }
#endif
