import FeedCore
import FeedPresentation
import FeedStoreContract
import Foundation
import Testing

// The Swift code of the articles, copied verbatim into functions that the tests run.

/// Discards the output of the articles' code.
private func print(_ values: Any...) {}

/// `FeedCore.md`
func overview(store: String, dump: String) throws {
  let database = try FeedDatabase.open(at: store)
  let report = try database.ingest([dump])
  let feed = try database.existingFeed(named: report.feed.name)
  try feed.forEach(University.self) { university in
    print(university.name)
  }
}

/// `IngestYourFirstDump.md`
func ingesting(store: String, dump: String) throws {
  let database = try FeedDatabase.open(at: store)
  var options = IngestOptions()
  options.indexedFields = ["country"]
  do {
    let report = try database.ingest(
      [dump], options: options, progress: { print("\($0.records) records so far") })
    print("\(report.records) records, generation \(report.feed.generation)")
  } catch {
    guard let fault = error.payload else { throw error }
    print("\(fault.file):\(fault.line):\(fault.column): \(fault.reason)")
  }
}

/// `IngestYourFirstDump.md`
func reading(_ database: FeedDatabase) throws {
  let feed = try database.existingFeed(named: FeedName("universities"))
  try feed.forEach(University.self) { university in
    print(university.name, university.webPages)
  }
  let university = try feed.first(University.self, withKey: "Middle East Technical University")
  print(university?.webPages ?? [])
}

/// `AnyJSON.md`
func documents(store: String, dump: String) async throws {
  let database = try FeedDatabase.open(at: store)
  let report = try database.ingest([dump])
  let feed = try database.existingFeed(named: report.feed.name)
  for try await record in feed.records {
    print(record["actor.login"]?.string ?? "", record.text)
  }
  if let event = try feed.record(withKey: "45122323207") {
    print(event["/repo/name"]?.string ?? "")
  }
}

/// `AskingAFeed.md`; returns the number of records.
func pushes(in feed: Feed) throws -> Int {
  let query = FeedQuery(
    where: ["type = push", "payload.size >= 2"], sort: ["-payload.size"], limit: 3)
  try feed.forEachRecord(matching: query) { record, position in print(position) }
  let pushes = try feed.count(matching: FeedQuery(where: ["type = push"]))
  return pushes
}

// `APayloadOfYourOwn.md`
struct Recipe: EncodablePayloadModel, Equatable {
  static let schema = makeSchema()

  var title: String
  var minutes: Int64
  var author: String?
  var steps: [String]

  init(_ record: borrowing RecordView) throws(RecordError) {
    title = try record.requiredText(1)
    minutes = try record.integer(2) ?? 0
    author = try record.text(3)
    steps = try record.texts(4) ?? []
  }

  func encode(into fields: inout RecordFields) {
    fields.set(1, title)
    fields.set(2, minutes)
    fields.set(3, author)
    fields.set(4, steps)
  }

  private static func makeSchema() -> PayloadSchema {
    do {
      return try PayloadSchema(
        name: "recipes", identifier: 1_000, recordKey: "recipes", key: 1,
        fields: [
          .init(id: 1, "title", kind: .text),
          .init(id: 2, "minutes", kind: .integer),
          .init(id: 3, "by", "person", "name", kind: .text, isRequired: false),
          .init(id: 4, "steps", kind: .textList, isIndexed: true),
        ])
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

/// `APayloadOfYourOwn.md`
func recipes(from file: String, in database: FeedDatabase) throws {
  var options = IngestOptions()
  options.schema = Recipe.schema
  let report = try database.ingest([file], options: options)
  let feed = try database.existingFeed(named: report.feed.name)
  for recipe in try feed.records(of: Recipe.self) {
    print(recipe.title, recipe.steps.count)
  }

  guard let steps = Recipe.schema.field(named: "steps"),
    let boil = Recipe.schema.indexBytes("boil", of: steps)
  else { return }
  let count = try feed.forEachRecord(whereField: steps.id, hasBytes: boil.span.bytes) { _, _ in }
  print("\(count) recipes have a step that says: boil")
  #expect(count == 1)
}

/// `APayloadOfYourOwn.md`
func schemaText() throws {
  let text = Recipe.schema.jsonText
  let schema = try PayloadSchema(jsonText: text.span.bytes)
  print(schema == Recipe.schema)
  #expect(schema == Recipe.schema)
}

/// `APayloadOfYourOwn.md`
func favourites(_ recipes: [Recipe], in database: FeedDatabase) throws -> FeedDescription {
  let feed = try database.insert(
    recipes, into: try FeedName("favourites"),
    referenceSeconds: Date().timeIntervalSinceReferenceDate)
  return feed
}

/// `CachePolicies.md`
func loading(
  _ images: [FeedImage], from url: URL, in database: FeedDatabase, _ client: any FeedHTTPClient
) async throws {
  var policy = CachePolicy.essential
  policy.maximumAge = .days(1)
  policy.onExpired = .delete

  let source = FeedSource(
    try FeedName("feed"), from: url, in: database, policy: policy, client: client)
  let delivery = try await source.load()
  if let failure = delivery.failure { print("from the cache, because \(failure)") }
  print("\(delivery.feed.recordCount) images")

  let local = LocalFeedLoader(
    store: LMDBFeedStore<FeedImage>(database, feed: try FeedName("feed")), policy: policy)
  try await local.save(images)
  let cached = try await local.load()
  try await local.validateCache()
  #expect(cached == images)
}

/// `SharingAStore.md`
func sharing(store: String) throws -> FeedDatabase {
  var options = FeedDatabase.Options()
  options.createsMissing = false
  let database = try FeedDatabase.open(at: store, options: options)
  return database
}

/// `SharingAStore.md`
func reporting(on database: FeedDatabase) throws {
  guard let feed = try database.feed(named: FeedName("universities")) else { return }
  print(feed.description.generation, feed.description.recordCount)
  print(try feed.records(of: University.self).count)
}

/// `SharingAStore.md`
func replacing(_ name: FeedName, by dump: String, in database: FeedDatabase) throws {
  var options = IngestOptions()
  let seen = try database.feedDescription(named: name)
  options.condition = seen.map { .generation($0.generation) } ?? .absent
  let report = try database.ingest([dump], options: options)
  #expect(report.feed.name == name)
}

/// `Tuning.md`
func tuned(store: String) throws -> IngestOptions {
  let images = try ImageStore.open(at: store, options: .init(byteCap: 500 << 20))
  let count = try images.withImageData(for: "https://example.com/a.png") { chunks in
    chunks.description.byteCount
  }
  #expect(count == nil)
  var options = IngestOptions()
  options.parsing.lanes = 1
  options.parsing.limits.recordBytes = 64 << 20
  return options
}

/// `FeedPresentation.md`
func presenting(_ universities: [University]) {
  let presenter = UniversitiesPresenter(text: FeedText(preferring: ["el-GR", "en"]))
  print(presenter.title)
  for row in presenter.map(universities) { print(row.name, row.country) }
}

@Suite("The contract as its article tests it")
struct ArticleContractTests {
  static let images: [FeedImage] = (1...3).compactMap { number in
    URL(string: "https://example.com/\(number)").map { FeedImage(id: UUID(), url: $0) }
  }

  // `FeedStoreContract.md`
  @Test(arguments: FeedStoreSpecs(feed: images, makeStore: { InMemoryFeedStore() }).rules)
  func contract(rule: ContractRule) async throws { try await rule.verify() }
}
