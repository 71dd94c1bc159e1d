#if Server
  import FeedStorage
  import HTTPTypes
  import NIOHTTP1
  import Synchronization

  /// Answers with one record that are made where they are asked for, on an event loop.
  ///
  /// To look a record up costs a few microseconds where its pages are in memory, to hand a request to
  /// another thread and its answer back several times that. Whatever there is to tell that is no
  /// record, and whatever takes longer, goes the long way, which gives the same bytes.
  final class RecordAnswers: Sendable {
    /// What answers with records of a feed have in common, as long as the feed is the same.
    private struct Known {
      let generation: UInt64
      let referenceSeconds: Double
      let pattern: HotAnswer.Pattern
    }

    /// Of records that are longer none is read here, so that no other client waits for one.
    private static let longestRecord = 64 << 10

    private let context: ServerContext
    private let hot: HotAnswers
    private let feeds: FeedRoutes
    private let known = Mutex<[FeedName: Known]>([:])

    init(_ context: ServerContext, _ hot: HotAnswers) {
      self.context = context
      self.hot = hot
      feeds = FeedRoutes(context: context)
    }

    /// The answer to a request that `HotAnswers` may answer; nil where it goes the long way.
    func answer(to head: HTTPRequestHead) -> HotAnswer? {
      guard head.uri.hasPrefix("/feeds/"), let target = RequestTarget(head.uri),
        let route = Route(target.segments), case .record(let name, let key) = route,
        !feeds.asksForAll(target)
      else { return nil }
      do {
        guard let resource = try FeedResource(atHand: name, context), resource.condition != nil,
          let record = try resource.recordAtHand(key, upTo: Self.longestRecord)
        else { return nil }
        if let pattern = pattern(resource) {
          return hot.keep(HotAnswer(pattern, record), for: target)
        }
        // Of its fields none changes an answer with a record that `HotAnswers` may give.
        let request = APIRequest(
          method: .get, target: target, fields: [:], authority: "", publicURL: nil)
        let answer = try feeds.answer(record, of: resource, request)
        let made = hot.keep(answer, for: request, route)
        if let pattern = made?.pattern, pattern.until == nil { learn(pattern, of: resource) }
        return made
      } catch {
        // The long way tells what is wrong, or finds the feed that has just taken the place.
        return nil
      }
    }

    private func pattern(_ resource: FeedResource) -> HotAnswer.Pattern? {
      let description = resource.description
      return known.withLock { known in
        guard let known = known[description.name], known.generation == description.generation,
          known.referenceSeconds == description.referenceSeconds
        else { return nil }
        return known.pattern
      }
    }

    private func learn(_ pattern: HotAnswer.Pattern, of resource: FeedResource) {
      let description = resource.description
      let learnt = Known(
        generation: description.generation, referenceSeconds: description.referenceSeconds,
        pattern: pattern)
      known.withLock { known in known[description.name] = learnt }
    }
  }
#endif
