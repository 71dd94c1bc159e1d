import FeedCore
import Testing

@testable import FeedServer

@Suite("The search for a text in a field")
struct TextSearchTests {
  private static func isPart(
    _ text: String, of field: String, _ folding: TextSearch.Folding = .cases
  ) throws -> Bool {
    let bytes = Array(field.utf8)
    return try TextSearch(text, folding: folding).isPart(of: bytes.span.bytes)
  }

  @Test("finds exactly the occurrences of a text, even if the text repeats itself")
  func repetitions() throws {
    func texts(_ length: Int) -> [String] {
      (0..<1 << length).map { bits in
        String((0..<length).map { bits >> $0 & 1 == 0 ? "a" : "b" })
      }
    }
    for wanted in (1...4).flatMap(texts) {
      for field in (0...7).flatMap(texts) {
        let places = field.indices.filter { field[$0...].hasPrefix(wanted) }
        #expect(try Self.isPart(wanted, of: field) == !places.isEmpty, "\(wanted) in \(field)")
      }
    }
  }

  @Test(
    "finds a text at every offset of a field of many chunks",
    arguments: ["Wanted", "w\u{E4}nted", "W\u{41}\u{308}NTED"], ["x", "\u{43D}"])
  func pieces(text: String, filler: String) throws {
    for place in stride(from: 0, to: 6_000, by: 997) {
      let before = String(repeating: filler, count: place)
      #expect(try Self.isPart(text, of: before + text.lowercased() + filler))
      #expect(try !Self.isPart(text, of: before + text.dropLast() + filler))
    }
    let long = String(repeating: filler, count: (256 << 10) / filler.utf8.count - 1)
    #expect(try Self.isPart(text, of: long + text + filler))
  }

  @Test("treats composed and decomposed accents as equal, and ignores them if asked to")
  func accents() throws {
    let (composed, decomposed) = ("S\u{E3}o", "Sa\u{303}o")
    #expect(try Self.isPart(composed, of: "de \(decomposed) Paulo"))
    #expect(try Self.isPart(decomposed, of: "de \(composed) Paulo"))
    #expect(try !Self.isPart("sao", of: "de \(composed) Paulo"))
    for field in [composed, decomposed, "SAO"] {
      #expect(try Self.isPart("sao", of: "de \(field) Paulo", .casesAndAccents))
      #expect(try Self.isPart(composed, of: "de \(field) Paulo", .casesAndAccents))
    }
  }

  @Test("continues after a character that is longer than a chunk")
  func longCharacter() throws {
    let field = "e" + String(repeating: "\u{301}", count: 20_000) + "end"
    #expect(try Self.isPart("End", of: field))
    #expect(try Self.isPart("End", of: field, .casesAndAccents))
    #expect(try !Self.isPart("\u{E4}", of: field))
  }

  @Test("recognizes a field that equals the text", arguments: ["T\u{FC}rkei", "turkei"])
  func whole(text: String) throws {
    let search = TextSearch(text)
    func isWhole(_ field: String) throws -> Bool {
      let bytes = Array(field.utf8)
      return try search.isWhole(bytes.span.bytes)
    }
    #expect(try isWhole(text) && isWhole(text.uppercased()))
    for other in [
      "", String(text.dropLast()), text + "n", text + String(repeating: "i", count: 9_000),
    ] {
      #expect(try !isWhole(other))
    }
  }

  @Test(
    "stops in a large field when the task is cancelled",
    arguments: ["none", "n\u{F6}ne"])
  func cancellation(text: String) async throws {
    let field = Array(String(repeating: "\u{E9}", count: 500_000).utf8)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try TextSearch(text).isPart(of: field.span.bytes)
    }
    let error = await #expect(throws: StoreError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }
}
