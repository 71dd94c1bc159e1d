public import FeedFeature

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contract of an image store, as rules to verify against any implementation.
public struct FeedImageDataStoreSpecs<Store: FeedImageDataStore>: Sendable {
  private let makeStore: @Sendable () async throws -> Store
  private let reopen: (@Sendable (Store) async throws -> Store)?

  /// Makes the contract of a kind of store.
  ///
  /// - Parameters:
  ///   - makeStore: makes an empty store for at least 2 MiB, a new one each time.
  ///   - reopen: opens a second store at the location of the first, which is still in use. Nil for
  ///     a store that does not outlive the process; its rule is then omitted.
  public init(
    makeStore: @escaping @Sendable () async throws -> Store,
    reopen: (@Sendable (Store) async throws -> Store)? = nil
  ) {
    self.makeStore = makeStore
    self.reopen = reopen
  }

  /// Every rule.
  public var rules: [ContractRule] { retrievalRules + insertionRules + persistenceRules }

  private var retrievalRules: [ContractRule] {
    [
      rule("an empty store has no image, at every retrieval") { store in
        try await requireImage(nil, for: Self.url(1), in: store)
        try await requireImage(nil, for: Self.url(1), in: store)
      },
      rule("the image of another URL is not delivered") { store in
        try await store.insert(Self.image(1), for: Self.url(1))
        for other in [Self.url(2), Self.url(1, "?size=2"), Self.url(1, "/"), Self.url(1, "#top")] {
          try await requireImage(nil, for: other, in: store)
        }
      },
      rule("every retrieval returns the bytes that were inserted") { store in
        for byteCount in [1, 256, 4096, 300_000, 1 << 20] {
          let image = Self.image(byteCount, byteCount: byteCount)
          try await store.insert(image, for: Self.url(byteCount))
          try await requireImage(image, for: Self.url(byteCount), in: store)
          try await requireImage(image, for: Self.url(byteCount), in: store)
        }
      },
    ]
  }

  private var insertionRules: [ContractRule] {
    [
      rule("the last image inserted for a URL replaces earlier ones") { store in
        try await store.insert(Self.image(1, byteCount: 2000), for: Self.url(1))
        try await store.insert(Self.image(2, byteCount: 100), for: Self.url(1))
        try await requireImage(Self.image(2, byteCount: 100), for: Self.url(1), in: store)
        try await store.insert(Self.image(3, byteCount: 3000), for: Self.url(1))
        try await requireImage(Self.image(3, byteCount: 3000), for: Self.url(1), in: store)
      },
      rule("images of different URLs are independent") { store in
        for number in 0..<20 { try await store.insert(Self.image(number), for: Self.url(number)) }
        for number in 0..<20 {
          try await requireImage(Self.image(number), for: Self.url(number), in: store)
        }
      },
      rule("images inserted concurrently are all stored completely") { store in
        try await withThrowingTaskGroup { group in
          for number in 0..<40 {
            group.addTask { try await store.insert(Self.image(number), for: Self.url(number)) }
            group.addTask { try await requireNothingOrImage(number, in: store) }
          }
          try await group.waitForAll()
        }
        for number in 0..<40 {
          try await requireImage(Self.image(number), for: Self.url(number), in: store)
        }
      },
    ]
  }

  private var persistenceRules: [ContractRule] {
    guard let reopen else { return [] }
    return [
      rule("a second store at the same location has the image") { store in
        try await store.insert(Self.image(1), for: Self.url(1))
        let second = try await reopen(store)
        try await requireImage(Self.image(1), for: Self.url(1), in: second)
        try await second.insert(Self.image(2), for: Self.url(1))
        try await requireImage(Self.image(2), for: Self.url(1), in: store)
      }
    ]
  }

  private func rule(
    _ name: String, _ check: @escaping @Sendable (Store) async throws -> Void
  ) -> ContractRule {
    ContractRule(name) { [makeStore] in try await check(try await makeStore()) }
  }

  private func requireImage(
    _ image: Data?, for url: URL, in store: some FeedImageDataStore
  ) async throws {
    let found = try await store.retrieve(dataForURL: url)
    try require(
      found == image,
      "for \(url.absoluteString) it has \(Self.phrase(found)) instead of \(Self.phrase(image))")
  }

  private func requireNothingOrImage(_ number: Int, in store: Store) async throws {
    let found = try await store.retrieve(dataForURL: Self.url(number))
    try require(
      found == nil || found == Self.image(number), "it has part of an image that is being inserted")
  }

  private static func phrase(_ image: Data?) -> String {
    image.map { "an image of \($0.count) bytes" } ?? "no image"
  }

  private static func image(_ number: Int, byteCount: Int = 1000) -> Data {
    Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ number) })
  }

  private static func url(_ number: Int, _ suffix: String = "") -> URL {
    let base = URL(filePath: "/")
    return URL(string: "https://images.example/\(number)\(suffix)") ?? base
  }
}
