// A property that stands for a type has the name of the type.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

#if Remote
  import FeedCore
  import Foundation
  import Synchronization

  // Swift code of the README and of articles, as shown there. A test runs it in its own store:
  // `ReadmePlace` has members with the names that the code uses to open stores and to print.

  /// The environment of the code.
  struct ReadmePlace: Sendable {
    let FeedDatabase: Databases
    let ImageStore: Images
    private let output = Output()

    init(_ directory: String) {
      FeedDatabase = Databases(directory: directory)
      ImageStore = Images(directory: directory)
    }

    /// The printed lines.
    var printed: [String] { output.lines.withLock { $0 } }

    func print(_ items: any Sendable...) {
      let line = items.map { "\($0)" }.joined(separator: " ")
      output.lines.withLock { $0.append(line) }
    }

    private final class Output: Sendable {
      let lines = Mutex<[String]>([])
    }

    /// Opens the store of the place, whatever the path.
    struct Databases {
      let directory: String

      func open(at path: String) throws -> FeedCore.FeedDatabase {
        try FeedCore.FeedDatabase.open(at: directory)
      }
    }

    struct Images {
      let directory: String

      func open(at path: String) throws -> FeedCore.ImageStore {
        try FeedCore.ImageStore.open(at: directory)
      }
    }

    /// `README.md`
    func store() throws {
      let database = try FeedDatabase.open(at: "/var/cache/feeds")
      let report = try database.ingest(["Examples/universities.json"])
      print(report.records, report.feed.generation)
      let feed = try database.existingFeed(named: report.feed.name)
      try feed.forEach(University.self) { university in
        print(university.name, university.webPages)
      }
    }

    /// `APayloadOfYourOwn.md`
    func source(from url: URL, in database: FeedCore.FeedDatabase) async throws -> [Recipe] {
      let source = FeedSource(
        try FeedName("recipes"), from: url, in: database, schema: Recipe.schema, policy: .essential,
        client: AsyncHTTPTransport())
      let loader = FeedSourceLoader<Recipe>(source, onFallback: { print("cached, because \($0)") })
      let recipes = try await loader.load()
      return recipes
    }

    /// `IngestYourFirstDump.md`
    func images(_ png: [UInt8]) throws -> Int? {
      let images = try ImageStore.open(at: "/var/cache/feeds")
      try images.insert(png.span.bytes, for: "https://example.com/a.png")
      let size = try images.withImageData(for: "https://example.com/a.png") { chunks in
        chunks.description.byteCount
      }
      return size
    }

    /// `FeedSchema.md`
    func parser(_ bytes: [UInt8]) async throws {
      let parser = PayloadParser()
      try parser.forEachBatch(in: "Examples/universities.json") { batch in
        for university in try batch.models(University.self) { print(university.name) }
      }
      for try await record in parser.batches(in: "Examples/universities.ndjson").records {
        print(try record.model(University.self).name)
      }
      let push = parser.push(named: "body") { batch in print(batch.count) }
      try push.feed(bytes)
      try push.finish()
    }
  }
#endif
