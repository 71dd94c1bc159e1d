import FeedCore
import Foundation
import TestSupport
import Testing

@Suite("Calls of one store", .timeLimit(.minutes(2)))
struct StoreOrderTests {
  private func characters(_ number: Int) -> [SeriesCharacter] {
    [
      SeriesCharacter(
        name: "N\(number)", status: "Alive", species: "Human", image: URL(filePath: "/a"))
    ]
  }

  @Test("that start in order take effect in order")
  func feed() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let store = LMDBFeedStore<SeriesCharacter>(
      try FeedDatabase.open(at: directory.path), feed: try FeedName("characters"))
    var found: [Task<[String]?, any Error>] = []
    // Each task runs on this thread until its call waits.
    for number in 0..<10 {
      Task.immediate { try await store.insert(characters(number), timestamp: .distantPast) }
      found.append(Task.immediate { try await store.retrieve()?.feed.map(\.name) })
      if number % 2 == 1 {
        Task.immediate { try await store.deleteCachedFeed() }
        found.append(Task.immediate { try await store.retrieve()?.feed.map(\.name) })
      }
    }
    var names: [[String]?] = []
    for task in found { names.append(try await task.value) }
    let expected = (0..<10).flatMap { number in
      number % 2 == 1 ? [["N\(number)"], nil] : [["N\(number)"]] as [[String]?]
    }
    #expect(names == expected)
  }

  @Test("for images that start in order take effect in order")
  func images() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let store = LMDBFeedImageDataStore(try ImageStore.open(at: directory.path))
    let url = URL(filePath: "/a.png")
    var found: [Task<Data?, any Error>] = []
    for number in 0..<10 {
      Task.immediate { try await store.insert(Data([UInt8(number)]), for: url) }
      found.append(Task.immediate { try await store.retrieve(dataForURL: url) })
    }
    for (number, task) in found.enumerated() {
      #expect(try await task.value == Data([UInt8(number)]))
    }
  }
}
