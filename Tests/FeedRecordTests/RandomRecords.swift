@_spi(Ingest) import FeedRecord
import TestSupport

enum RandomRecords {
  static func layout(using random: inout SeededGenerator) throws -> RecordLayout {
    let types: [FieldType] = [.text, .textList, .boolean, .integer, .number, .date, .uuid]
    let count = Int.random(in: 0...40, using: &random)
    let ids = (UInt16(1)...1_000).shuffled(using: &random).prefix(count)
    let fields = ids.map { id in
      RecordField(
        id: id, type: types.randomElement(using: &random) ?? .text,
        isOptional: Bool.random(using: &random))
    }
    return try RecordLayout(schemaID: UInt32(truncatingIfNeeded: random.next()), fields: fields)
  }

  static func record(of layout: RecordLayout, using random: inout SeededGenerator) -> [Value] {
    layout.fields.map { field in
      switch Int.random(in: 0..<4, using: &random) {
      case 0: .absent
      case 1 where field.isOptional: .null
      default: value(of: field.type, using: &random)
      }
    }
  }

  private static func value(of type: FieldType, using random: inout SeededGenerator) -> Value {
    switch type {
    // Spans and JSON are fields of documents, which have tests of their own.
    case .text, .span, .json: .text(text(using: &random))
    case .textList:
      .list((0..<Int.random(in: 0...4, using: &random)).map { _ in text(using: &random) })
    case .boolean: .boolean(Bool.random(using: &random))
    case .integer: .integer(Int64(bitPattern: random.next()))
    case .number: .number(Double.random(in: -1e6...1e6, using: &random).bitPattern)
    case .date: .date(Double.random(in: -1e9...1e9, using: &random).bitPattern)
    case .uuid: .uuid(random.next(), random.next())
    }
  }

  private static func text(using random: inout SeededGenerator) -> String {
    let alphabet = ["a", "B", "7", " ", "é", "漢", "🎓"]
    return (0..<Int.random(in: 0...60, using: &random)).map { _ in
      alphabet.randomElement(using: &random) ?? ""
    }.joined()
  }
}
