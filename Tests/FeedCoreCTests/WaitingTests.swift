import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

@Suite("Ingests that wait for a feed, and callbacks of an ingest")
struct WaitingTests {
  private let store: CStore

  init() throws { store = try CStore() }

  /// The context of a progress callback.
  private final class Seen {
    /// An ingest that the callback finishes once it is set.
    var other: OpaquePointer?
    var statuses: [feedcore_status] = []
    var calls = 0
  }

  /// Begins an ingest that locks the feed and does not end.
  private func hold(_ options: inout feedcore_ingest_options) throws -> OpaquePointer {
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
    let document = Documents.many(60_000).dropLast()
    let chunk = Array(document.utf8)
    #expect(feedcore_ingest_push(ingest, chunk, chunk.count, nil) == FEEDCORE_OK)
    #expect(feedcore_feed_delete(store.handle, "universities", 12, 0, nil) == FEEDCORE_BUSY)
    return try #require(ingest)
  }

  @Test("an ingest that would wait is refused in a callback of another one")
  func finishedInCallback() throws {
    let seen = Seen()
    var options = feedcore_ingest_options.initial
    options.context = Unmanaged.passUnretained(seen).toOpaque()
    options.progress = { context, _ in
      guard let context else { return 1 }
      let seen = Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue()
      guard let other = seen.other else { return 0 }
      seen.other = nil
      seen.statuses.append(feedcore_ingest_finish(other, nil, nil))
      return 0
    }
    let holder = try hold(&options)
    var waiting = feedcore_ingest_options.initial
    waiting.flags = FEEDCORE_WAIT
    var other: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, &waiting, &other, nil) == FEEDCORE_OK)
    let document = Documents.universities
    #expect(feedcore_ingest_push(other, document, document.utf8.count, nil) == FEEDCORE_OK)
    seen.other = other
    #expect(feedcore_ingest_push(holder, "]", 1, nil) == FEEDCORE_OK)
    #expect(seen.statuses == [FEEDCORE_MISUSE])
    #expect(feedcore_ingest_finish(holder, nil, nil) == FEEDCORE_OK)
    #expect(store.recordCount(of: "universities") == 60_000)
  }

  @Test("a callback can cancel a waiting ingest")
  func cancelledWhileWaiting() throws {
    var plain = feedcore_ingest_options.initial
    let holder = try hold(&plain)
    let seen = Seen()
    var options = feedcore_ingest_options.initial
    options.flags = FEEDCORE_WAIT
    options.context = Unmanaged.passUnretained(seen).toOpaque()
    options.progress = { context, _ in
      guard let context else { return 1 }
      let seen = Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue()
      seen.calls += 1
      return seen.calls < 3 ? 0 : 1
    }
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
    let document = Documents.universities
    #expect(feedcore_ingest_push(ingest, document, document.utf8.count, nil) == FEEDCORE_OK)
    #expect(outcome { feedcore_ingest_finish(ingest, nil, $0) }.status == FEEDCORE_CANCELLED)
    #expect(seen.calls == 3)
    #expect(feedcore_ingest_cancel(holder) == FEEDCORE_OK)
  }
}
