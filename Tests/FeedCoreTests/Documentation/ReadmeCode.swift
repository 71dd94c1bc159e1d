#if Remote
  import FeedCore
  import Foundation

  // The Swift code of the README, as it stands there: it is compiled, and not run, since its store
  // and its services are somebody else's.

  func readmeStore() throws {
    let database = try FeedDatabase.open(at: "/var/cache/feeds")
    let report = try database.ingest(["universities.json"])
    print(report.records, report.feed.generation)

    let name = try FeedName("universities")
    try database.forEach(University.self, in: name) { university in
      print(university.name, university.webPages)
      return true
    }
  }

  func readmeSource(from url: URL, in database: FeedDatabase) async throws -> [Recipe] {
    let source = FeedSource(
      try FeedName("recipes"), from: url, in: database, schema: Recipe.schema, policy: .essential,
      client: AsyncHTTPTransport())
    let loader = FeedSourceLoader<Recipe>(source, onFallback: { print("cached, because \($0)") })
    let recipes = try await loader.load()
    return recipes
  }

  func readmeImages(_ png: [UInt8]) throws -> Int? {
    let images = try ImageStore.open(at: "/var/cache/feeds")
    try images.insert(png.span.bytes, for: "https://example.com/a.png")
    let size = try images.withImageData(for: "https://example.com/a.png") { chunks in
      chunks.description.byteCount
    }
    return size
  }

  func readmeParser(_ bytes: [UInt8]) async throws {
    let parser = PayloadParser()
    try parser.forEachBatch(in: "universities.json.gz") { batch in
      for university in try batch.models(University.self) { print(university.name) }
    }
    for try await record in parser.batches(in: "universities.json").records {
      print(try record.model(University.self).name)
    }
    let push = parser.push(named: "body") { batch in print(batch.count) }
    try push.feed(bytes)
    try push.finish()
  }
#endif
