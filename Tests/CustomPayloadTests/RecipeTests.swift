import FeedCore
import Foundation
import Testing

/// A payload that is unknown to FeedCore. Only public API defines it: a schema and a model.
struct Recipe: PayloadModel, Equatable {
  static let schema = makeSchema()

  var title: String
  var minutes: Int64
  var rating: Double?
  var isVegan: Bool
  var author: String?
  var steps: [String]

  init(_ record: borrowing RecordView) throws(RecordError) {
    title = try record.requiredText(1)
    minutes = try record.integer(2) ?? 0
    rating = try record.number(3)
    isVegan = try record.boolean(4) ?? false
    author = try record.text(5)
    steps = try record.texts(6) ?? []
  }

  private static func makeSchema() -> PayloadSchema {
    do {
      return try PayloadSchema(
        name: "recipes", identifier: 1_000, recordKey: "recipes", key: 1,
        fields: [
          .init(id: 1, "title", kind: .text),
          .init(id: 2, "minutes", kind: .integer),
          .init(id: 3, "rating", kind: .number, isRequired: false),
          .init(id: 4, "vegan", kind: .boolean),
          .init(id: 5, "by", "person", "name", kind: .text, isRequired: false),
          .init(id: 6, "steps", kind: .textList),
        ])
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

@Suite("A custom payload")
struct RecipeTests {
  private static let document = """
    {"recipes": [
      {"title": "Ful", "minutes": 40, "rating": 4.5, "vegan": true, "steps": ["soak", "boil"],
       "by": {"person": {"name": "Amal", "age": 7}}},
      {"title": "Toast", "minutes": -9223372036854775808, "vegan": false, "steps": [],
       "rating": null}
    ], "page": 1}
    """

  private func withStore<Result>(
    _ document: String, _ body: (FeedDatabase, String) throws -> Result
  ) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "feedcore-recipes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("recipes.json")
    try Data(document.utf8).write(to: file)
    let database = try FeedDatabase.open(at: directory.appendingPathComponent("store").path)
    return try body(database, file.path)
  }

  private var options: IngestOptions {
    var options = IngestOptions()
    options.schema = Recipe.schema
    return options
  }

  @Test("it is ingested, read as models, looked up and written again as JSON")
  func wholeWay() throws {
    try withStore(Self.document) { database, file in
      let report = try database.ingest([file], options: options)
      #expect(report.records == 2)
      #expect(report.feed.kind == "recipes")
      let name = try FeedName("recipes")
      let recipes = try database.existingFeed(named: name).records(of: Recipe.self)
      #expect(recipes.map(\.title) == ["Ful", "Toast"])
      #expect(recipes.map(\.author) == ["Amal", nil])
      #expect(recipes.map(\.minutes) == [40, .min])
      #expect(recipes.map(\.rating) == [4.5, nil])
      #expect(recipes[0].steps == ["soak", "boil"])
      let writer = RecordWriter(Recipe.schema)
      var text: [UInt8] = []
      let key = try #require(Recipe.schema.keyBytes("Ful"))
      let feed = try database.existingFeed(named: name)
      let count = try feed.forEachRecord(withKeyBytes: key.span.bytes) { record, _ in
        try writer.append(record, to: &text)
      }
      #expect(count == 1)
      let expected =
        #"{"title":"Ful","minutes":40,"rating":4.5,"vegan":true,"#
        + #""by":{"person":{"name":"Amal"}},"steps":["soak","boil"]}"#
      #expect(String(decoding: text, as: UTF8.self) == expected)
    }
  }

  @Test(
    "numbers out of range are refused, with a pointer to the record",
    arguments: ["9223372036854775808", "1.5", "1e3", "\"40\"", "1e400"])
  func ranges(number: String) throws {
    let field = number == "1e400" ? "\"minutes\": 1, \"rating\"" : "\"minutes\""
    let document =
      "{\"recipes\": [{\"title\": \"t\", \"vegan\": true, \"steps\": [], \(field): \(number)}]}"
    try withStore(document) { database, file in
      let error = #expect(throws: IngestError.self) {
        try database.ingest([file], options: options)
      }
      #expect(error?.payload?.kind == .schema)
      #expect(error?.payload?.pointer.hasPrefix("/recipes/0/") == true)
    }
  }

  @Test("an inconsistent schema is refused")
  func badSchemas() {
    let title = PayloadSchema.Field(id: 1, "title", kind: .text)
    #expect(throws: SchemaError.self) {
      try PayloadSchema(name: "x", identifier: 1_001, key: 2, fields: [title])
    }
    #expect(throws: SchemaError.self) {
      try PayloadSchema(
        name: "x", identifier: 1_001, key: 1,
        fields: [
          title, .init(id: 2, "a", "b", kind: .text), .init(id: 3, "c", kind: .text),
          .init(id: 4, "a", "d", kind: .text),
        ])
    }
  }
}
