#if Server
  import FeedCore
  import Foundation
  import Testing

  @testable import FeedServer

  @Suite("The URLs of images that feeds name")
  struct ImageURLsTests {
    private static func url(_ number: Int) -> String { "https://example.org/\(number).png" }

    private static func insert(_ numbers: [Int], into database: FeedDatabase) throws {
      let images = try numbers.map { number in
        FeedImage(
          id: UUID(), description: nil, location: nil,
          url: try #require(URL(string: url(number))))
      }
      try database.insert(images, into: FeedName("feed"), referenceSeconds: 1)
    }

    @Test("are found anywhere in a feed, even if they repeat, and other texts are not")
    func named() async throws {
      let database = try FeedDatabase.universities(10)
      try Self.insert(Array(0..<3_000) + [7, 7, 2_999], into: database)
      let urls = ImageURLs(ServedStore(database))
      for number in [0, 7, 1_500, 2_999] {
        #expect(try await urls.contain(Self.url(number)))
      }
      #expect(try await !urls.contain(Self.url(3_000)))
      #expect(try await !urls.contain("U1"))
    }

    @Test("are those of the current generation")
    func replaced() async throws {
      let database = try FeedDatabase.openPrivate()
      let urls = ImageURLs(ServedStore(database))
      #expect(try await !urls.contain(Self.url(1)))
      for (kept, gone) in [(1, 2), (2, 1)] {
        try Self.insert([0, kept], into: database)
        #expect(try await urls.contain(Self.url(kept)))
        #expect(try await !urls.contain(Self.url(gone)))
      }
    }

    @Test("are not searched after a cancellation")
    func cancelled() async throws {
      let database = try FeedDatabase.openPrivate()
      try Self.insert([1], into: database)
      let urls = ImageURLs(ServedStore(database))
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await urls.contain(Self.url(1))
      }
      let error = await #expect(throws: StoreError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
  }
#endif
