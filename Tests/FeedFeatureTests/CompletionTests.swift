import CourseSupport
import Dispatch
import FeedFeature
import Foundation
import Synchronization
import Testing

/// Reports the end of a load that may deliver nothing: its task object is released.
private struct Watch: Sendable {
  private final class Box: Sendable {
    private weak let task: FeedLoaderTask?
    init(_ task: FeedLoaderTask) { self.task = task }
    var isOver: Bool { task == nil }
  }

  private let box: Box
  init(_ task: FeedLoaderTask) { box = Box(task) }
  func wait() async { while !box.isOver { await Task.yield() } }
}

@Suite("Completions: a result once, or never after a cancellation", .timeLimit(.minutes(10)))
struct CompletionTests {
  private let images = Samples.images
  private let url = Samples.url("image")

  @Test("a feed, an image and details are delivered to a completion, and so are their errors")
  func delivers() async throws {
    let feed = await withCheckedContinuation { continuation in
      LoaderStub(images).load { continuation.resume(returning: $0) }
    }
    #expect(try feed.get() == images)
    let image = await withCheckedContinuation { continuation in
      ImageLoaderStub(failing: .connectivity).loadImageData(from: url) {
        continuation.resume(returning: $0)
      }
    }
    #expect(throws: Failure.connectivity) { try image.get() }
    let details = FeedDetailLoader(in: LoaderStub(images), by: \.url)
    let detail = await withCheckedContinuation { continuation in
      details.loadDetail(for: images[1].url) { continuation.resume(returning: $0) }
    }
    #expect(try detail.get() == images[1])
  }

  @Test(
    "an image load from the cache that is cancelled delivers neither data nor error",
    .course(.essential, "Load Feed Image Data From Cache Use Case", "Cancel course"),
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Cancel course"),
    arguments: Samples.imageRetrievals)
  func cancelledImage(outcome: Result<Data?, Failure>) async {
    let reached = Door()
    let delivered = Notes<String>()
    let store = ImageStoreStub(retrieve: { _ in
      reached.open()
      try? await Door().pass()
      return try outcome.get()
    })
    let watch: Watch
    do {
      let task = LocalFeedImageDataLoader(store: store).loadImageData(from: url) {
        delivered.add("\($0)")
      }
      watch = Watch(task)
      try? await reached.pass()
      task.cancel()
    }
    await watch.wait()
    #expect(delivered.all.isEmpty)
  }

  @Test("a load whose owner is released while it loads delivers neither a feed nor an error")
  func releasedOwner() async {
    final class Owner {
      private var load: LoadToken?
      func begin(_ loader: LoaderStub<FeedImage>, _ delivered: Notes<String>) -> Watch {
        let task = loader.load { delivered.add("\($0)") }
        load = task.cancellingOnRelease()
        return Watch(task)
      }
    }
    for fails in [false, true] {
      let reached = Door()
      let released = Door()
      let delivered = Notes<String>()
      let loader = LoaderStub { [images] in
        reached.open()
        await Task.detached { try? await released.pass() }.value
        if fails { throw Failure.connectivity }
        return images
      }
      var owner: Owner? = Owner()
      let watch = owner?.begin(loader, delivered)
      try? await reached.pass()
      owner = nil
      released.open()
      await watch?.wait()
      #expect(delivered.all.isEmpty)
    }
  }

  @Test("a load whose owner stays is delivered")
  func keptOwner() async throws {
    var token: LoadToken?
    let feed = await withCheckedContinuation { continuation in
      token = LoaderStub(images).load { continuation.resume(returning: $0) }.cancellingOnRelease()
    }
    withExtendedLifetime(token) {}
    #expect(try feed.get() == images)
  }

  @Test("a load that ignores cancellation delivers nothing after one")
  func deafLoader() async {
    let reached = Door()
    let released = Door()
    let delivered = Notes<String>()
    let loader = LoaderStub { [images] in
      reached.open()
      await Task.detached { try? await released.pass() }.value
      return images
    }
    let watch: Watch
    do {
      let task = loader.load { delivered.add("\($0)") }
      watch = Watch(task)
      try? await reached.pass()
      task.cancel()
    }
    released.open()
    await watch.wait()
    #expect(delivered.all.isEmpty)
  }

  @Test("a task may be cancelled from its completion, after it, and again")
  func cancelledWithin() async {
    let stored = Door()
    let task = Mutex<FeedLoaderTask?>(nil)
    let loader = LoaderStub { [images] in
      try await stored.pass()
      return images
    }
    let delivered = Notes<Int>()
    await withCheckedContinuation { continuation in
      let begun = loader.load { result in
        task.withLock { $0 }?.cancel()
        delivered.add((try? result.get())?.count ?? 0)
        continuation.resume()
      }
      task.withLock { $0 = begun }
      stored.open()
    }
    task.withLock { $0 }?.cancel()
    task.withLock { $0 }?.cancel()
    #expect(delivered.all == [images.count])
  }

  @Test("a load continues after its task object is released")
  func notHeld() async {
    let images = images
    let count = await withCheckedContinuation { continuation in
      LoaderStub<FeedImage> {
        await Task.yield()
        return images
      }.load { continuation.resume(returning: (try? $0.get())?.count) }
    }
    #expect(count == images.count)
  }

  @Test(
    "nothing is delivered, or still being delivered, once a cancellation has returned",
    arguments: [true, false])
  func race(succeeds: Bool) async {
    let violations = Atomic(0)
    for round in 0..<3000 {
      let isCancelled = Atomic(false)
      let loader = LoaderStub<Int> {
        Self.linger(round % 7)
        if succeeds { return [round] }
        throw Failure.connectivity
      }
      let watch: Watch
      do {
        let task = loader.load { _ in
          Self.linger(round % 5)
          if isCancelled.load(ordering: .sequentiallyConsistent) {
            violations.add(1, ordering: .relaxed)
          }
        }
        watch = Watch(task)
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            Self.linger(round % 11)
            task.cancel()
            isCancelled.store(true, ordering: .sequentiallyConsistent)
            continuation.resume()
          }
        }
      }
      await watch.wait()
    }
    #expect(violations.load(ordering: .relaxed) == 0)
  }

  @Test("a cancellation waits for a completion that is running on another thread")
  func waitsForCompletion() async {
    let entered = DispatchSemaphore(value: 0)
    let isFinished = Atomic(false)
    let cancelling = DispatchSemaphore(value: 0)
    let task = LoaderStub(images).load { _ in
      entered.signal()
      cancelling.wait()
      // Gives an incorrect cancellation, which does not wait, the time to return.
      Self.linger(1000)
      isFinished.store(true, ordering: .sequentiallyConsistent)
    }
    let wasFinished = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        entered.wait()
        cancelling.signal()
        task.cancel()
        continuation.resume(returning: isFinished.load(ordering: .sequentiallyConsistent))
      }
    }
    #expect(wasFinished)
  }

  @Test("a cancellation waits for a completion that started the cancelling task")
  func waitsForCompletionThatBeganIt() async throws {
    let stored = Door()
    let loader = LoaderStub { [images] in
      try await stored.pass()
      return images
    }
    for _ in 0..<20 {
      let (cancelling, finished) = (Notes<Void>(), Notes<Void>())
      let task = Mutex<FeedLoaderTask?>(nil)
      let wasFinished = await withCheckedContinuation { continuation in
        let begun = loader.load { _ in
          let begun = task.withLock { $0 }
          Task {
            cancelling.add(())
            begun?.cancel()
            continuation.resume(returning: !finished.all.isEmpty)
          }
          // Gives an incorrect cancellation the time to return, if a thread is free for it.
          for _ in 0..<1000 where cancelling.all.isEmpty { Self.linger(10) }
          Self.linger(100)
          finished.add(())
        }
        task.withLock { $0 = begun }
        stored.open()
      }
      #expect(wasFinished)
    }
  }

  /// Varies the timing of the two sides of a race.
  private static func linger(_ steps: Int) {
    let sum = Atomic(0)
    for step in 0..<steps * 200 { sum.add(step, ordering: .relaxed) }
  }
}
