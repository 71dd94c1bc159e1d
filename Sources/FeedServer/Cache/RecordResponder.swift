#if Server
  import FeedStorage
  import HTTPTypes
  import NIOHTTP1
  import Synchronization

  /// Makes responses with one record directly on an event loop.
  ///
  /// Looking up a record costs a few microseconds if its pages are in memory. Passing a request to
  /// another thread and its response back costs several times that. Errors and slow requests take
  /// the regular path, which returns the same bytes.
  final class RecordResponder: Sendable {
    /// What is common to the responses with records of one feed, while the feed is unchanged.
    private struct Known {
      let generation: UInt64
      let referenceSeconds: Double
      let pattern: CachedResponse.Pattern
    }

    /// The maximum length of a record that is read here, so that no other client waits for a long
    /// one.
    private static let maximumRecordBytes = 64 << 10

    private let context: ServerContext
    private let cache: ResponseCache
    private let feeds: FeedRoutes
    private let known = Mutex<[FeedName: Known]>([:])

    init(_ context: ServerContext, _ cache: ResponseCache) {
      self.context = context
      self.cache = cache
      feeds = FeedRoutes(context: context)
    }

    /// The response to a request that `ResponseCache` may answer; nil if it takes the regular path.
    func answer(to head: HTTPRequestHead) -> CachedResponse? {
      guard head.uri.hasPrefix("/feeds/"), let target = RequestTarget(head.uri),
        let (name, key) = Route.record(target.segments),
        target.items.isEmpty
      else { return nil }
      do {
        guard let resource = try FeedResource(fresh: name, context), resource.condition != nil,
          let record = try resource.record(key, maximumBytes: Self.maximumRecordBytes)
        else { return nil }
        if let pattern = pattern(resource) {
          return cache.insert(CachedResponse(pattern, record), for: target)
        }
        // The request's fields are left out: no field of a request that `ResponseCache` may answer
        // changes a response with a record.
        let request = APIRequest(
          method: .get, target: target, fields: [:], authority: "", publicURL: nil)
        let answer = try feeds.answer(record, of: resource, request).adding(context.commonFields)
        let made = cache.insert(answer, for: request, .record)
        if let pattern = made?.pattern, pattern.until == nil { remember(pattern, of: resource) }
        return made
      } catch {
        // The regular path reports the error.
        return nil
      }
    }

    private func pattern(_ resource: FeedResource) -> CachedResponse.Pattern? {
      let description = resource.description
      return known.withLock { known in
        guard let known = known[description.name], known.generation == description.generation,
          known.referenceSeconds == description.referenceSeconds
        else { return nil }
        return known.pattern
      }
    }

    private func remember(_ pattern: CachedResponse.Pattern, of resource: FeedResource) {
      let description = resource.description
      let entry = Known(
        generation: description.generation, referenceSeconds: description.referenceSeconds,
        pattern: pattern)
      known.withLock { known in known[description.name] = entry }
    }
  }
#endif
