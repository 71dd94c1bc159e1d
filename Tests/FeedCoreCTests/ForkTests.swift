import CFeedCore
import FeedCoreC
import Foundation
import Synchronization
import TestSupport
import Testing

/// The results of calls in a child whose parent's threads were running during the fork.
@Suite("Processes that fork while they read")
struct ForkTests {
  @Test("every handle is reported as created before the fork, whatever other threads were doing")
  func manyForks() async {
    // Runs in its own process, which has only the threads of this test.
    await #expect(processExitsWith: .success) {
      InheritedSockets.close()
      try Forking().run(forks: 2_000)
    }
  }
}

/// A store whose threads open, list and fail all the time.
///
/// `@unchecked Sendable`: the handles are numbers that are written once; the library takes them from
/// any thread, and only this thread uses the reader.
private final class Forking: @unchecked Sendable {
  private let store: CStore
  private let reader: OpaquePointer
  /// A reader that another thread uses all the time.
  private let busy: OpaquePointer
  private let isOver = Atomic(false)

  init() throws {
    store = try CStore()
    try store.ingest(Documents.universities)
    reader = try store.reader("universities")
    busy = try store.reader("universities")
    try #require(feedcore_next(reader, nil) == FEEDCORE_OK)
  }

  func run(forks: Int) throws {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Thread {
        while !self.isOver.load(ordering: .relaxed) { self.churn() }
        ended.signal()
      }.start()
    }
    Thread {
      while !self.isOver.load(ordering: .relaxed) { feedcore_get(self.busy, "Ege", 3, nil) }
      ended.signal()
    }.start()
    // The runtime performs its lazy initialization here, before the forks.
    churn()
    _ = answers(isChild: false)
    for round in 0..<forks {
      let answer = try Fork.child(seconds: 20) { answers(isChild: true) }
      guard answer == 0 else {
        throw Unexpected(answer: answer, round: round)
      }
      if round % 50 == 0 { try #require(Fork.child(seconds: 20) { storeOfItsOwn() } == 0) }
    }
    isOver.store(true, ordering: .relaxed)
    for _ in 0..<3 { ended.wait() }
    #expect(feedcore_reader_close(busy) == FEEDCORE_OK)
    #expect(feedcore_reader_close(reader) == FEEDCORE_OK)
  }

  private struct Unexpected: Error {
    /// The number of the first call with a wrong result; if negative, that of a signal.
    let answer: Int32
    let round: Int
  }

  private func churn() {
    let path = store.directory.path
    var (feeds, other, error) = (OpaquePointer?.none, OpaquePointer?.none, OpaquePointer?.none)
    feedcore_feeds_list(store.handle, &feeds, nil)
    feedcore_feeds_free(feeds)
    feedcore_store_open(path, path.utf8.count, 0, &other, nil)
    feedcore_store_close(other)
    feedcore_store_open("/dev/null", 9, FEEDCORE_CREATE, &other, nil)
    feedcore_store_close(other)
    feedcore_next(nil, &error)
    feedcore_error_free(error)
  }

  /// 0, or the number of the first call with a wrong result.
  private func answers(isChild: Bool) -> UInt8 {
    let path = store.directory.path
    var (out, value) = (OpaquePointer?.none, feedcore_value())
    var (field, position) = (feedcore_field_info(), UInt64(7))
    let forked = isChild ? FEEDCORE_FORKED : FEEDCORE_OK
    let calls: [(UnsafeMutablePointer<OpaquePointer?>) -> Bool] = [
      { feedcore_next(self.reader, $0) == FEEDCORE_FORKED },
      { feedcore_get(self.reader, "Ege", 3, $0) == forked },
      { feedcore_next(nil, $0) == FEEDCORE_BAD_HANDLE },
      { feedcore_feeds_list(self.store.handle, &out, $0) == forked },
      { feedcore_store_open(path, path.utf8.count, 0, &out, $0) == forked },
    ]
    for (index, call) in calls.enumerated() {
      var error: OpaquePointer?
      guard call(&error) || !isChild else { return UInt8(index + 1) }
      let text = feedcore_error_message(error, nil).map { String(cString: $0) }
      guard text?.isEmpty == false || !isChild, feedcore_error_free(error) == FEEDCORE_OK else {
        return UInt8(index + 11)
      }
    }
    let looks = [
      feedcore_field(reader, 1, &value), feedcore_field_named(reader, "name", 4, &value),
      feedcore_reader_field(reader, 0, &field), feedcore_reader_position(reader, &position),
    ]
    guard looks.allSatisfy({ $0 == forked }) || !isChild else { return 21 }
    guard isChild else { return 0 }
    guard feedcore_next(busy, nil) == FEEDCORE_FORKED, feedcore_reader_close(busy) == FEEDCORE_OK,
      feedcore_next(busy, nil) == FEEDCORE_BAD_HANDLE, feedcore_reader_feed(reader) == nil,
      feedcore_reader_field_count(reader) == 0,
      feedcore_reader_close(reader) == FEEDCORE_OK,
      feedcore_store_close(store.handle) == FEEDCORE_OK
    else { return 22 }
    return 0
  }

  /// A child may open a store that its parent has not opened.
  private func storeOfItsOwn() -> UInt8 {
    guard let store = try? CStore(), (try? store.ingest(Documents.comments)) != nil,
      store.recordCount(of: "comments") == 1
    else { return 31 }
    return 0
  }
}
