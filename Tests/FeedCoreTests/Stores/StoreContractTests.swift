import FeedCore
import FeedStoreContract
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("The LMDB stores follow the contract of stores")
struct StoreContractTests {
  @Test(arguments: specs(of: StoredModels.images).rules)
  func images(rule: ContractRule) async throws { try await rule.verify() }

  @Test(arguments: specs(of: StoredModels.universities).rules)
  func universities(rule: ContractRule) async throws { try await rule.verify() }

  @Test(arguments: specs(of: StoredModels.articles).rules)
  func articles(rule: ContractRule) async throws { try await rule.verify() }

  @Test(arguments: specs(of: StoredModels.comments).rules)
  func comments(rule: ContractRule) async throws { try await rule.verify() }

  @Test(arguments: specs(of: StoredModels.characters).rules)
  func characters(rule: ContractRule) async throws { try await rule.verify() }

  @Test(
    arguments: FeedImageDataStoreSpecs(
      makeStore: { LMDBFeedImageDataStore(try ImageStore.open(at: try Places.shared.make())) },
      reopen: { LMDBFeedImageDataStore(try ImageStore.open(at: $0.images.directory)) }
    ).rules)
  func imageData(rule: ContractRule) async throws { try await rule.verify() }

  @Test(
    arguments: FailableFeedStoreSpecs(
      feed: [Note(text: nil)], failingToRetrieve: damagedStore,
      failingToInsert: {
        let store: LMDBFeedStore<Note> = try makeStore()
        try await store.insert([Note(text: "kept")], timestamp: .distantPast)
        return store
      }
    ).rules)
  func failing(rule: ContractRule) async throws { try await rule.verify() }

  @Test("a store of another kind of items throws an error, and stays unchanged")
  func otherKind() async throws {
    let characters: LMDBFeedStore<SeriesCharacter> = try Self.makeStore()
    try await characters.insert(StoredModels.characters, timestamp: .distantPast)
    let articles = LMDBFeedStore<Article>(characters.database, feed: characters.name)
    await #expect(throws: StoreError.self) { try await articles.retrieve() }
    await #expect(throws: StoreError.self) {
      try await articles.append(StoredModels.articles, timestamp: .distantPast)
    }
    #expect(try await characters.retrieve()?.feed == StoredModels.characters)
  }

  @Test("a failed save leaves the previous feed unchanged")
  func failedSave() async throws {
    let store: LMDBFeedStore<Note> = try Self.makeStore()
    let local = LocalFeedLoader(store: store)
    try await local.save([Note(text: "kept")])
    let generation = try store.database.feedDescription(named: store.name)?.generation
    await #expect(throws: StoreError.self) { try await local.save([Note(text: nil)]) }
    #expect(try store.database.feedDescription(named: store.name)?.generation == generation)
    #expect(try await local.load().map(\.text) == ["kept"])
  }

  private static func specs<Item: EncodablePayloadModel & Equatable>(
    of feed: [Item]
  ) -> FeedStoreSpecs<LMDBFeedStore<Item>> {
    FeedStoreSpecs(
      feed: feed, makeStore: { try makeStore() },
      reopen: { store in
        LMDBFeedStore(try FeedDatabase.open(at: store.database.directory), feed: store.name)
      })
  }

  private static func makeStore<Item>() throws -> LMDBFeedStore<Item> {
    LMDBFeedStore(
      try FeedDatabase.open(at: try Places.shared.make()), feed: try FeedName("feed"))
  }

  /// A store whose only record has a flipped bit.
  @Sendable private static func damagedStore() async throws -> LMDBFeedStore<Note> {
    let store: LMDBFeedStore<Note> = try makeStore()
    let text = "a text that stands nowhere else"
    try await store.insert([Note(text: text)], timestamp: .distantPast)
    let copy = try Places.shared.make() + "/copy"
    try FileManager.default.copyItem(atPath: store.database.directory, toPath: copy)
    let file = copy + "/feeds/data.mdb"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let place = try #require(bytes.firstRange(of: Data(text.utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    return LMDBFeedStore(try FeedDatabase.open(at: copy), feed: store.name)
  }
}

/// The directories of the rules' stores, which outlive the stores.
private final class Places: Sendable {
  static let shared = Places()
  private let all = Mutex<[TemporaryDirectory]>([])

  func make() throws -> String {
    let directory = try TemporaryDirectory(inMemory: true)
    all.withLock { $0.append(directory) }
    return directory.path
  }
}

/// Items with every optional field present and absent, with empty and non-ASCII texts, and with
/// dates that a text would not preserve.
private enum StoredModels {
  private static let urls = (1...3).compactMap {
    URL(string: "https://example.com/\($0).png?a=é#b")
  }
  private static let dates = [0.1, 694_224_000.123_456_7, -1e9].map {
    Date(timeIntervalSinceReferenceDate: $0)
  }

  static var images: [FeedImage] {
    [
      FeedImage(id: UUID(), description: "a description", location: "", url: urls[0]),
      FeedImage(id: UUID(), location: "Αθήνα", url: urls[1]),
      FeedImage(id: UUID(), url: urls[2]),
    ]
  }

  static var universities: [University] {
    [
      University(
        name: "Universidade de São Paulo", country: "Brazil", alphaTwoCode: "BR",
        stateProvince: "São Paulo", webPages: ["https://www5.usp.br/", ""], domains: []),
      University(name: "", country: "Ελλάδα", alphaTwoCode: "GR"),
      University(
        name: String(repeating: "long ", count: 30_000), country: "X", alphaTwoCode: "XX",
        domains: ["a", "b"]),
    ]
  }

  static var articles: [Article] {
    dates.indices.map { index in
      Article(
        source: Source(id: index == 0 ? "id" : nil, name: "source"),
        author: index == 1 ? nil : "author", title: "title \(index)", description: nil,
        url: urls[index], urlToImage: index == 2 ? nil : urls[index], publishedAt: dates[index],
        content: "content")
    }
  }

  static var comments: [ImageComment] {
    dates.map { ImageComment(id: UUID(), message: "message", createdAt: $0, username: "name") }
  }

  static var characters: [SeriesCharacter] {
    urls.map {
      SeriesCharacter(name: "Rick", status: "Alive", species: "Human", image: $0)
    }
  }
}

/// A model that can be made without the field that its schema requires.
private struct Note: EncodablePayloadModel, Equatable {
  static let schema: PayloadSchema = {
    let fields = [PayloadSchema.Field(id: 1, "text", kind: .text)]
    guard let schema = try? PayloadSchema(name: "notes", identifier: 5_000, key: 1, fields: fields)
    else { preconditionFailure("one required text is a schema") }
    return schema
  }()

  var text: String?

  init(text: String?) { self.text = text }

  init(_ record: borrowing RecordView) throws(RecordError) { text = try record.requiredText(1) }

  func encode(into fields: inout RecordFields) { fields.set(1, text) }
}
