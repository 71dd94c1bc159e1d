import FeedCore
import Foundation
import Synchronization
import Testing

/// A recipe of a later version of the program. It has a note, which is indexed.
private struct NotedRecipe: PayloadModel {
  static let schema = makeSchema([
    .init(id: 7, "note", kind: .text, isRequired: false, isIndexed: true)
  ])

  var title: String
  var note: String?

  init(_ record: borrowing RecordView) throws(RecordError) {
    title = try record.requiredText(1)
    note = try record.text(7)
  }

  static func makeSchema(_ added: [PayloadSchema.Field]) -> PayloadSchema {
    do {
      return try PayloadSchema(
        name: Recipe.schema.name, identifier: Recipe.schema.identifier,
        recordKey: Recipe.schema.recordKey, key: Recipe.schema.keyField.id,
        fields: Recipe.schema.fields + added)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

/// A recipe whose contract requires a field that earlier records lack.
private struct PricedRecipe: PayloadModel {
  static let schema = NotedRecipe.makeSchema([.init(id: 8, "price", kind: .integer)])

  init(_ record: borrowing RecordView) throws(RecordError) {}
}

/// Answers 304 to a request with the current entity tag.
private final class Service: FeedHTTPClient {
  let statuses = Mutex<[Int]>([])
  let text: String

  init(_ text: String) { self.text = text }

  func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    let status = request.fields["If-None-Match"] == "\"1\"" ? 304 : 200
    statuses.withLock { $0.append(status) }
    return FeedHTTPResponse(
      status: status, fields: ["ETag": "\"1\""],
      body: FeedHTTPBody(status == 200 ? Array(text.utf8) : []))
  }
}

@Suite("A custom payload whose contract gains a field")
struct RecipeVersionTests {
  private let database: FeedDatabase
  private let name: FeedName
  private let url: URL

  init() throws {
    database = try FeedDatabase.open(at: "/dev/null")
    name = try FeedName("recipes")
    url = try #require(URL(string: "https://example.com/recipes"))
  }

  private func recipe(_ title: String, note: String? = nil) -> String {
    let note = note.map { #","note":"\#($0)""# } ?? ""
    return #"{"title":"\#(title)","minutes":4,"vegan":true,"steps":["boil"]\#(note)}"#
  }

  private func ingest(
    _ recipes: [String], _ schema: PayloadSchema, appends: Bool = false
  ) throws -> IngestReport {
    var options = IngestOptions()
    options.feed = name
    options.schema = schema
    options.appends = appends
    let push = database.push(from: "recipes", options: options)
    try push.feed(#"{"recipes":[\#(recipes.joined(separator: ","))]}"#.utf8)
    return try push.finish()
  }

  @Test("records of either version are read by the other, without the fields they lack")
  func reading() throws {
    _ = try ingest([recipe("Ful")], Recipe.schema)
    let noted = try database.existingFeed(named: name).records(of: NotedRecipe.self)
    #expect(noted.map(\.title) == ["Ful"] && noted.map(\.note) == [nil])
    _ = try ingest([recipe("Toast", note: "burnt")], NotedRecipe.schema)
    #expect(
      try database.existingFeed(named: name).records(of: NotedRecipe.self).map(\.note) == ["burnt"])
    #expect(
      try database.existingFeed(named: name).records(of: Recipe.self).map(\.title) == ["Toast"])
  }

  @Test("a version refuses records that lack its required field, and appends nothing to them")
  func demanding() throws {
    _ = try ingest([recipe("Ful")], Recipe.schema)
    let error = #expect(throws: StoreError.self) {
      try database.existingFeed(named: name).records(of: PricedRecipe.self)
    }
    #expect(error?.code == .invalidKind)
    let priced = String(recipe("Toast").dropLast()) + #","price":3}"#
    #expect(throws: IngestError.self) {
      try ingest([priced], PricedRecipe.schema, appends: true)
    }
    #expect(try database.existingFeed(named: name).records(of: Recipe.self).map(\.title) == ["Ful"])
  }

  @Test("an append by the later version keeps the existing records, and indexes its own fields")
  func appending() throws {
    _ = try ingest([recipe("Ful"), recipe("Tea")], Recipe.schema)
    let report = try ingest(
      [recipe("Ful"), recipe("Toast", note: "burnt")], NotedRecipe.schema, appends: true)
    #expect(report.records == 1)
    let noted = try database.existingFeed(named: name).records(of: NotedRecipe.self)
    #expect(noted.map(\.title) == ["Ful", "Tea", "Toast"])
    #expect(noted.map(\.note) == [nil, nil, "burnt"])
    let old = try database.existingFeed(named: name).records(of: Recipe.self)
    #expect(old.map(\.steps) == Array(repeating: ["boil"], count: 3))
    let burnt = Array("burnt".utf8)
    let feed = try database.existingFeed(named: name)
    let found = try feed.forEachRecord(whereField: 7, hasBytes: burnt.span.bytes) { _, _ in }
    #expect(found == 1)
    // The earlier version would lose the fields that it does not know.
    #expect(throws: IngestError.self) {
      try ingest([recipe("Soup")], Recipe.schema, appends: true)
    }
  }

  @Test("an unchanged payload is fetched in full only once for the new field")
  func service() async throws {
    let service = Service(#"{"recipes":[\#(recipe("Ful", note: "soak"))]}"#)
    func load<Model: PayloadModel>(_ model: Model.Type) async throws -> [Model] {
      let source = FeedSource(
        name, from: url, in: database, schema: Model.schema, policy: .essential, client: service)
      return try await FeedSourceLoader<Model>(source).load()
    }
    _ = try await load(Recipe.self)
    _ = try await load(Recipe.self)
    for _ in 0..<2 { #expect(try await load(NotedRecipe.self).map(\.note) == ["soak"]) }
    #expect(service.statuses.withLock { $0 } == [200, 304, 200, 304])
  }

  @Test("its service is read with the stored contract if none is given")
  func storedContract() async throws {
    _ = try ingest([recipe("Ful")], Recipe.schema)
    let service = Service(#"{"recipes":[\#(recipe("Toast"))]}"#)
    let source = FeedSource(name, from: url, in: database, client: service)
    _ = try await source.refresh()
    let feed = try database.existingFeed(named: name)
    #expect(try feed.records(of: Recipe.self).map(\.title) == ["Toast"])
    #expect(feed.schema == Recipe.schema)
  }

  @Test("a payload that violates the stored contract does not replace the feed")
  func withoutContract() async throws {
    _ = try ingest([recipe("Ful")], Recipe.schema)
    let service = Service(
      #"[{"name":"A","domains":[],"web_pages":[],"country":"B","alpha_two_code":"C"}]"#)
    let source = FeedSource(name, from: url, in: database, client: service)
    await #expect(throws: RemoteError.self) { try await source.refresh() }
    #expect(try await source.load().failure != nil)
    #expect(try database.existingFeed(named: name).records(of: Recipe.self).map(\.title) == ["Ful"])
  }
}
