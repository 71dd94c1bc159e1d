#if Server
  import FeedStorage
  import HTTPTypes
  import NIOCore
  import NIOHTTP1
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The response cache: recent responses with records and images, by their targets, within a byte
  /// limit.
  ///
  /// A response is used only if the store confirms that nothing has changed since it was made,
  /// which takes one read of the map. A client never receives stale data. The check is short enough
  /// for the event loop, so that such a request needs no other thread.
  final class ResponseCache: Sendable {
    private struct Entry {
      let answer: CachedResponse
      let ticket: Int
      let byteCount: Int
      var wasUsed = false
    }

    private struct State {
      var answers: [String: Entry] = [:]
      /// The tickets of responses in the order in which they were added or retained. Tickets of
      /// removed responses may be among them.
      var order = CircularBuffer<(target: String, ticket: Int)>()
      var byteCount = 0
      var lastTicket = 0

      private static let maximumSpared = 16

      mutating func remove(_ target: String) {
        guard let entry = answers.removeValue(forKey: target) else { return }
        byteCount -= entry.byteCount
        guard order.count > 2 * answers.count + 64 else { return }
        order = CircularBuffer(order.filter { answers[$0.target]?.ticket == $0.ticket })
      }

      mutating func add(_ target: String, _ answer: CachedResponse, capacity: Int) {
        remove(target)
        lastTicket += 1
        let entry = Entry(
          answer: answer, ticket: lastTicket, byteCount: answer.byteCount + target.utf8.count)
        answers[target] = entry
        order.append((target, lastTicket))
        byteCount += entry.byteCount
        // All of them may be in use, and an insertion must not visit all.
        var spared = 0
        while byteCount > capacity, let oldest = order.popFirst() {
          guard let entry = answers[oldest.target], entry.ticket == oldest.ticket else { continue }
          // A response that was used again stays for another round.
          if entry.wasUsed, !order.isEmpty, spared < Self.maximumSpared {
            spared += 1
            answers[oldest.target]?.wasUsed = false
            order.append(oldest)
          } else {
            answers[oldest.target] = nil
            byteCount -= entry.byteCount
          }
        }
      }
    }

    /// The maximum size of a cached body. A larger body is sent in chunks.
    static let maximumBodyBytes = 256 << 10
    /// The maximum length of a target. A longer target is taken for an attempt to fill the memory.
    private static let maximumTargetBytes = 2 << 10

    private let context: ServerContext
    /// The maximum bytes of all cached responses together.
    private let capacity: Int
    private let state = Mutex(State())
    private let isEnabled: Bool
    private let budget: SharedBytesBudget

    init(_ context: ServerContext) {
      self.context = context
      capacity = context.configuration.cacheBytesOfProtocol
      // With credentials, every request must be authenticated first.
      isEnabled = context.configuration.credentials == nil
      budget = SharedBytesBudget(files: context.configuration.sharedResponses)
    }

    /// Whether a cached response can answer the request: it has no conditions and asks for the
    /// whole representation.
    func mayAnswer(_ head: HTTPRequestHead) -> Bool {
      isEnabled && head.method == .GET && head.version.minor == 1 && Self.isPlain(head.headers)
    }

    /// The cached response to such a request, if it is still current.
    func answer(to head: HTTPRequestHead) -> CachedResponse? {
      guard let answer = cached(head.uri) else { return nil }
      if isCurrent(answer) { return answer }
      remove(head.uri)
      return nil
    }

    /// Caches a response and returns its cached form; nil if it cannot be cached.
    @discardableResult
    func insert(_ answer: HTTPAnswer, for request: APIRequest, _ route: Route) -> CachedResponse? {
      guard isEnabled, let condition = answer.condition, answer.status == .ok,
        request.method == .get, case .bytes(let body) = answer.body,
        body.count <= Self.maximumBodyBytes, !request.fields.contains(where: Self.changesAnswer)
      else { return nil }
      let counter = context.metrics.counter(request: route.rawValue, outcome: "200", over: .http)
      // A response that is too recent for a `Last-Modified` gets one within a second, so it is
      // cached only until then.
      let isYoung = answer.fields[.lastModified] == nil
      let until = isYoung ? Date().timeIntervalSinceReferenceDate + 1 : nil
      let response = CachedResponse(
        answer.sentFields, body, condition, until: until, counter, sharingWithin: budget)
      return insert(response, for: request.target)
    }

    /// Caches a response, unless it is too large or its target is longer than any meaningful one.
    func insert(_ answer: CachedResponse, for target: RequestTarget) -> CachedResponse {
      if target.text.utf8.count <= Self.maximumTargetBytes,
        answer.bodyByteCount <= Self.maximumBodyBytes
      {
        state.withLock { state in state.add(target.text, answer, capacity: capacity) }
      }
      return answer
    }

    private func cached(_ target: String) -> CachedResponse? {
      state.withLock { state in
        guard let index = state.answers.index(forKey: target) else { return nil }
        state.answers.values[index].wasUsed = true
        return state.answers.values[index].answer
      }
    }

    private func remove(_ target: String) {
      state.withLock { state in state.remove(target) }
    }

    private func isCurrent(_ answer: CachedResponse) -> Bool {
      if let until = answer.pattern.until, Date().timeIntervalSinceReferenceDate >= until {
        return false
      }
      do throws(StoreError) {
        switch answer.pattern.condition {
        case .feed(let name, let generation, let seconds, let until):
          if let until, Date().timeIntervalSinceReferenceDate >= until { return false }
          guard let feed = try context.store.database.feedDescription(named: name) else {
            return false
          }
          context.store.database.noteRequest(of: name)
          return feed.generation == generation && feed.referenceSeconds == seconds
        case .image(let description):
          return try context.store.images()?.isCurrent(description) ?? false
        }
      } catch {
        // The regular path reports the error.
        return false
      }
    }

    /// Whether no field of a request asks for anything but the whole response.
    private static func isPlain(_ headers: HTTPHeaders) -> Bool {
      for (name, _) in headers where changesAnswer(name.utf8) { return false }
      return true
    }

    private static func changesAnswer(_ field: HTTPField) -> Bool {
      changesAnswer(field.name.canonicalName.utf8)
    }

    /// Conditions, which share a prefix, and ranges.
    private static func changesAnswer(_ name: String.UTF8View) -> Bool {
      guard let first = name.first else { return false }
      switch first | 0x20 {
      case UInt8(ascii: "i"):
        let second = name.dropFirst().first
        return second == UInt8(ascii: "f") || second == UInt8(ascii: "F")
      case UInt8(ascii: "r"): return name.count == 5
      default: return false
      }
    }
  }

#endif
