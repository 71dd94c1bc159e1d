import FeedCore
import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Documents that conform to the contract of an app")
struct ConformedDocumentTests {
  private let directory: TemporaryDirectory
  private let database: FeedDatabase

  init() throws {
    directory = try TemporaryDirectory()
    var options = FeedDatabase.Options()
    options.mapSize = 1 << 32
    database = try FeedDatabase.open(at: directory.path, options: options)
  }

  private static let comment = AppDocuments.comments.records[0]

  private func texts(_ feed: FeedDescription) async throws -> [String] {
    var texts: [String] = []
    for try await record in try database.existingFeed(named: feed.name).records {
      texts.append(record.text)
    }
    return texts
  }

  @Test(
    "have the kind and the key of the contract, and keep all of their members",
    arguments: AppDocuments.all.indices)
  func kinds(index: Int) async throws {
    let kind = AppDocuments.all[index]
    let feed = try AppDocuments.publish(kind, in: database)
    #expect(feed.kind == kind.name)
    #expect(feed.schema?.document != nil)
    #expect(try await texts(feed) == kind.records)
    let stored = try database.existingFeed(named: feed.name)
    for (key, record) in zip(kind.keys, kind.records) where key != "Rick" {
      #expect(try stored.record(withKey: key)?.text == record)
    }
    #expect(String(decoding: feed.schemaText, as: UTF8.self).contains(#""conforms":true"#))
  }

  @Test("are read by the models like records of the contract")
  func models() throws {
    func compare<Model: EncodablePayloadModel & Equatable>(
      _ type: Model.Type, _ kind: AppDocuments.Kind
    ) throws {
      let documents = try database.existingFeed(
        named: AppDocuments.publish(kind, in: database).name)
      let flat = try database.existingFeed(
        named: AppDocuments.publish(kind, as: "flat", in: database) { $0.schema = Model.schema }
          .name)
      #expect(flat.schema.document == nil)
      let models = try documents.records(of: type)
      #expect(try models == flat.records(of: type))
      #expect(models.count == kind.records.count)
      var passed: [Model] = []
      try documents.forEach(type, from: 1) { passed.append($0) }
      #expect(passed == Array(models.dropFirst()))
      for key in kind.keys {
        let found = try documents.first(type, withKey: key)
        #expect(try found == flat.first(type, withKey: key) && found != nil, "\(key)")
      }
      #expect(try documents.first(type, withKey: "none") == nil)
      // A replacement by the contract does not keep the indexes of the documents.
      try AppDocuments.publish(kind, in: database) { options in
        options.schema = Model.schema
        options.keepsIndexes = true
      }
      let replaced = try database.existingFeed(named: documents.description.name)
      #expect(try replaced.records(of: type) == models)
    }
    try compare(University.self, AppDocuments.universities)
    try compare(SeriesCharacter.self, AppDocuments.characters)
    try compare(FeedImage.self, AppDocuments.images)
    try compare(ImageComment.self, AppDocuments.comments)
    try compare(Article.self, AppDocuments.news)
  }

  @Test("are found by a UUID in upper and lower case", arguments: [false, true])
  func uuids(isUpper: Bool) throws {
    let feed = try database.existingFeed(
      named: AppDocuments.publish(AppDocuments.images, in: database).name)
    for key in AppDocuments.images.keys {
      let text = isUpper ? key.uppercased() : key.lowercased()
      #expect(try feed.first(FeedImage.self, withKey: text)?.id == UUID(uuidString: key))
    }
  }

  @Test(
    "are of the kind json if a later record does not conform",
    arguments: [
      #"{"id":4,"name":"N","status":"Alive","species":"Human"}"#,
      #"{"id":4,"name":"N","status":"Alive","species":"Human","image":null}"#,
      #"{"id":4,"name":"N","status":"Alive","species":"Human","image":5}"#,
      #"{"id":4,"name":"N","name":"M","status":"Alive","species":"Human","image":"i"}"#,
      #"{"id":4,"name":["N"],"status":"Alive","species":"Human","image":"i"}"#, "5", "[]", "null",
    ])
  func misfits(record: String) async throws {
    let kind = AppDocuments.characters
    // The first records, which predict the kind, are fewer than these.
    let many = (0..<400).map {
      #"{"id":\#($0 + 5),"name":"R\#($0)","status":"s","species":"Human","image":"i"}"#
    }
    let records = kind.records + many + [record]
    let feed = try AppDocuments.publish(kind, records, in: database)
    #expect(feed.kind == "json")
    #expect(try await texts(feed) == records)
    #expect(feed.schema?.keyTexts == (record.hasPrefix("{") ? ["id"] : ["#"]))
    let error = #expect(throws: StoreError.self) {
      try database.existingFeed(named: feed.name).records(of: SeriesCharacter.self)
    }
    #expect(error?.code == .invalidKind)
  }

  @Test(
    "are of the kind json if a value does not fit its field",
    arguments: [
      (0, #"{"name":"A","web_pages":["a",1],"country":"B","alpha_two_code":"C","x":1}"#),
      (0, #"{"name":"A","web_pages":[],"country":"B","alpha_two_code":"C","state-province":1}"#),
      (2, #"{"id":"7","image":"https://e.com/1.jpg"}"#),
      (3, comment.replacing("2020-05-20T11:24:59+02:00", with: "yesterday")),
      (3, comment.replacing(#"{"id":7,"username":"u"}"#, with: #""u""#)),
    ])
  func values(index: Int, record: String) throws {
    let kind = AppDocuments.all[index]
    #expect(try AppDocuments.publish(kind, kind.records + [record], in: database).kind == "json")
  }

  @Test("are of the kind json if the given key is not the contract's")
  func otherKeys() throws {
    let kind = AppDocuments.characters
    #expect(try AppDocuments.publish(kind, in: database) { $0.key = ["id"] }.kind == "json")
    #expect(try AppDocuments.publish(kind, in: database) { $0.key = ["#"] }.kind == "json")
    #expect(
      try AppDocuments.publish(kind, in: database) { $0.key = ["name"] }.kind == "characters")
    #expect(
      try AppDocuments.publish(kind, in: database) { $0.indexedFields = ["id"] }.kind
        == "characters")
  }

  @Test("may be anywhere in a document, but not the members of an object")
  func places() throws {
    let record = AppDocuments.characters.records[0]
    for text in [
      #"{"data":{"people":[\#(record),\#(record)]}}"#, "\(record)\n\(record)\n",
      "\u{1E}\(record)\n", "[\(record)]", record,
    ] {
      let feed = try OddDocuments.publish(text, as: "place", in: database)
      #expect(feed.kind == "characters", "\(text)")
    }
    let keyed = #"{"a":\#(record),"b":\#(record),"c":\#(record)}"#
    #expect(try OddDocuments.publish(keyed, as: "place", in: database).kind == "json")
  }

  @Test("keep their kind after appends, until a record does not conform")
  func appends() async throws {
    let kind = AppDocuments.characters
    var feed = try AppDocuments.publish(kind, Array(kind.records[..<2]), in: database)
    feed = try AppDocuments.publish(kind, in: database) { $0.appends = true }
    #expect(feed.kind == "characters" && feed.recordCount == 3)
    let stored = try database.existingFeed(named: feed.name)
    #expect(try stored.records(of: SeriesCharacter.self).map(\.name) == kind.keys)
    // An append by the contract would not keep the documents unchanged.
    let error = #expect(throws: IngestError.self) {
      try AppDocuments.publish(kind, in: database) { options in
        options.schema = .characters
        options.appends = true
      }
    }
    #expect(error?.message.contains("holds characters as documents") == true)
    feed = try AppDocuments.publish(kind, [#"{"name":"R"}"#], in: database) { $0.appends = true }
    #expect(feed.kind == "json" && feed.recordCount == 4)
    #expect(feed.schema?.keyTexts == ["name"])
    feed = try AppDocuments.publish(
      kind, [kind.records[0].replacing("Rick", with: "Summer")], in: database
    ) { $0.appends = true }
    #expect(feed.kind == "json" && feed.recordCount == 5)
    #expect(try await texts(feed).prefix(3) == kind.records[...])
    #expect(try FeedDatabase.check(at: directory.path).findings.isEmpty)
  }

  @Test("name their images")
  func images() throws {
    for (kind, images) in [
      (
        AppDocuments.characters,
        ["https://e.com/r.png", "https://e.com/m.png", "https://e.com/x.png"]
      ),
      (AppDocuments.news, ["https://e.com/a.jpg"]), (AppDocuments.universities, []),
    ] {
      let feed = try AppDocuments.publish(kind, in: database)
      var found: [String] = []
      try database.existingFeed(named: feed.name).forEachImageURL { url, _ in
        found.append(url.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        return true
      }
      #expect(found == images)
    }
  }
}
