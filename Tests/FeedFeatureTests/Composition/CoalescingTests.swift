import FeedFeature
import Foundation
import Synchronization
import TestSupport
import Testing

/// A service that counts its requests, responds when its door opens, and records cancellations.
private final class Service: Sendable {
  let door = Door()
  let reached = Door()
  private let counts = Mutex((requests: 0, cancelled: 0))

  var requests: Int { counts.withLock { $0.requests } }
  var cancelled: Int { counts.withLock { $0.cancelled } }

  func answer() async throws -> Int {
    let number = counts.withLock { counts in
      counts.requests += 1
      return counts.requests
    }
    reached.open()
    do {
      try await door.pass()
    } catch {
      counts.withLock { $0.cancelled += 1 }
      throw error
    }
    return number
  }

  var feed: LoaderStub<Int> { LoaderStub { [try await self.answer()] } }
}

@Suite(
  "Coalescing: one request for concurrent loads of the same feed or image", .timeLimit(.minutes(10))
)
struct CoalescingTests {
  private let order = OrderedExecutor()

  @Test("loads of one feed from 100 tasks at once make one request")
  func hundred() async throws {
    let service = Service()
    let loader = service.feed.coalescing()
    let loads = (0..<100).map { _ in order.begin { try await loader.load() } }
    await order.settle()
    service.door.open()
    for load in loads { #expect(try await load.value == [1]) }
    #expect(service.requests == 1)
  }

  @Test("all waiters get the error of the one request")
  func error() async {
    let service = Service()
    let loader = LoaderStub<Int> {
      _ = try await service.answer()
      throw Failure.connectivity
    }.coalescing()
    let loads = (0..<10).map { _ in order.begin { try await loader.load() } }
    await order.settle()
    service.door.open()
    for load in loads {
      await #expect(throws: Failure.connectivity) { try await load.value }
    }
  }

  @Test("a load after the end of a request makes a new one")
  func afterwards() async throws {
    let service = Service()
    service.door.open()
    let loader = service.feed.coalescing()
    #expect(try await loader.load() == [1])
    #expect(try await loader.load() == [2])
  }

  @Test("a cancelled waiter gets an error at once; the others get the feed")
  func oneCancelled() async throws {
    let service = Service()
    let loader = service.feed.coalescing()
    let patient = order.begin { try await loader.load() }
    let impatient = order.begin { try await loader.load() }
    await order.settle()
    impatient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    #expect(service.cancelled == 0)
    service.door.open()
    #expect(try await patient.value == [1])
    #expect(service.requests == 1)
  }

  @Test("the caller that started the request may leave it, too")
  func firstCancelled() async throws {
    let service = Service()
    let loader = service.feed.coalescing()
    let first = order.begin { try await loader.load() }
    let second = order.begin { try await loader.load() }
    await order.settle()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    service.door.open()
    #expect(try await second.value == [1])
  }

  @Test("a request is cancelled with its last waiter, and the next load makes a new one")
  func allCancelled() async throws {
    let service = Service()
    let loader = service.feed.coalescing()
    let loads = (0..<10).map { _ in order.begin { try await loader.load() } }
    await order.settle()
    try await service.reached.pass()
    for load in loads { load.cancel() }
    for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
    while service.cancelled == 0 { await Task.yield() }
    service.door.open()
    #expect(try await loader.load() == [2])
  }

  @Test(
    "a request without waiters that ignores cancellation does not deliver to later callers")
  func abandonedRequest() async throws {
    let requests = Notes<Door>()
    let loader = LoaderStub<Int> {
      let door = Door()
      requests.add(door)
      let number = requests.all.count
      await Task.detached { try? await door.pass() }.value
      return [number]
    }.coalescing()
    let first = Task { try await loader.load() }
    while requests.all.count < 1 { await Task.yield() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task { try await loader.load() }
    while requests.all.count < 2 { await Task.yield() }
    requests.all[0].open()
    // Time for the first request to end.
    for _ in 0..<1000 { await Task.yield() }
    requests.all[1].open()
    #expect(try await second.value == [2])
  }

  @Test("a caller that is cancelled before makes no request")
  func cancelledBefore() async {
    let service = Service()
    let loader = service.feed.coalescing()
    let load = Task {
      try? await Door().pass()
      return try await loader.load()
    }
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(service.requests == 0)
  }

  @Test("images of different URLs are different requests, of one URL the same")
  func images() async throws {
    let service = Service()
    let requested = Notes<URL>()
    let loader = ImageLoaderStub { url in
      requested.add(url)
      _ = try await service.answer()
      return Data(url.absoluteString.utf8)
    }.coalescing()
    let urls = (0..<20).map { Samples.url("\($0 % 4)") }
    let loads = urls.map { url in (url, order.begin { try await loader.loadImageData(from: url) }) }
    await order.settle()
    service.door.open()
    for (url, load) in loads {
      #expect(try await load.value == Data(url.absoluteString.utf8))
    }
    #expect(requested.all.count == 4)
    #expect(Set(requested.all) == Set(urls))
  }

  @Test("waiters that join, leave and receive concurrently each get one result")
  func stress() async {
    let counter = Mutex(0)
    let loader = LoaderStub<Int> {
      await Task.yield()
      try Task.checkCancellation()
      return [
        counter.withLock { counter in
          counter += 1
          return counter
        }
      ]
    }.coalescing()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2000 {
        group.addTask {
          let load = Task { try await loader.load() }
          if number.isMultiple(of: 3) { load.cancel() }
          switch await load.result {
          case .success(let feed):
            #expect(feed.count == 1)
          case .failure(let error):
            #expect(error is CancellationError)
            #expect(number.isMultiple(of: 3))
          }
        }
      }
    }
  }
}
