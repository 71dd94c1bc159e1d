import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

/// Kinds share ids and types: field 2 is the country of a university, but the status of a
/// character.
@Suite("Readers of a feed that was replaced by one of another kind")
struct ReplacedKindTests {
  private static let characters = #"""
    {"results": [{"name": "Rick", "status": "Alive", "species": "Human", "image": "http://a/1"}]}
    """#

  private let store: CStore
  private let reader: OpaquePointer

  init() throws {
    store = try CStore()
    try store.ingest(Documents.universities, feed: "x", indexed: "country")
    reader = try store.reader("x")
  }

  private func replace() throws {
    try store.ingest(Self.characters, feed: "x", indexed: "status")
  }

  private func names() -> [String] {
    (0..<feedcore_reader_field_count(reader)).compactMap { index in
      var field = feedcore_field_info()
      #expect(feedcore_reader_field(reader, index, &field) == FEEDCORE_OK)
      return field.name.map { String(cString: $0) }
    }
  }

  private var kind: String? {
    feedcore_reader_feed(reader)?.pointee.kind.map { String(cString: $0) }
  }

  private func expectCharacter(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(text(reader, "name") == "Rick", sourceLocation: sourceLocation)
    #expect(text(reader, "status") == "Alive", sourceLocation: sourceLocation)
    #expect(text(reader, "country") == nil, sourceLocation: sourceLocation)
    #expect(names() == ["name", "status", "species", "image"], sourceLocation: sourceLocation)
    #expect(kind == "characters", sourceLocation: sourceLocation)
  }

  @Test("a lookup returns the new kind and its fields by their names")
  func get() throws {
    defer { feedcore_reader_close(reader) }
    #expect(kind == "universities")
    try replace()
    #expect(feedcore_get(reader, "Rick", 4, nil) == FEEDCORE_OK)
    expectCharacter()
    #expect(feedcore_get(reader, "Morty", 5, nil) == FEEDCORE_NONE)
    #expect(kind == "characters")
    try store.ingest(Documents.universities, feed: "x")
    #expect(feedcore_get(reader, "Ege", 3, nil) == FEEDCORE_OK)
    #expect(text(reader, "country") == "Turkey")
    #expect(kind == "universities")
  }

  @Test("a search passes the new kind's fields to its visitor")
  func find() throws {
    defer { feedcore_reader_close(reader) }
    try replace()
    let seen = Box<[String?]>([])
    let visit: feedcore_visit = { context, reader in
      guard let context, let reader else { return 1 }
      Unmanaged<Box<[String?]>>.fromOpaque(context).takeUnretainedValue().value
        .append(contentsOf: [text(reader, "country"), text(reader, "status")])
      return 0
    }
    let context = Unmanaged.passUnretained(seen).toOpaque()
    #expect(feedcore_find(reader, 2, "Alive", 5, visit, context, nil, nil) == FEEDCORE_OK)
    #expect(feedcore_find(reader, 0, "Rick", 4, visit, context, nil, nil) == FEEDCORE_OK)
    #expect(seen.value == [nil, "Alive", nil, "Alive"])
    #expect(kind == "characters")
  }

  @Test("selected fields have the names of the new kind")
  func select() throws {
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_reader_select(reader, [1, 2], 2, nil) == FEEDCORE_OK)
    #expect(names() == ["name", "country"])
    try replace()
    #expect(feedcore_get(reader, "Rick", 4, nil) == FEEDCORE_OK)
    #expect(names() == ["name", "status"])
    #expect(text(reader, "country") == nil)
    #expect(text(reader, "status") == "Alive")
    try store.ingest(Documents.universities, feed: "x")
    #expect(feedcore_reader_select(reader, [2], 1, nil) == FEEDCORE_OK)
    #expect(names() == ["country"])
    #expect(kind == "universities")
  }

  @Test("a scan continues with the old kind during lookups in the new one")
  func scan() throws {
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    let old = try #require(feedcore_reader_feed(reader))
    try replace()
    #expect(feedcore_get(reader, "Rick", 4, nil) == FEEDCORE_OK)
    expectCharacter()
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(text(reader, "country") == "Brazil")
    #expect(text(reader, "status") == nil)
    #expect(names().contains("alpha_two_code"))
    #expect(kind == "universities")
    // Borrowed values of the old feed stay valid until another scan begins.
    #expect(old.pointee.kind.map { String(cString: $0) } == "universities")
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(feedcore_next(reader, nil) == FEEDCORE_NONE)
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    expectCharacter()
  }
}
