public import FeedRecord
import JSONStream

/// Writes records as JSON again, in the form of their payload contract.
public struct RecordWriter: Sendable {
  private enum Step: Sendable {
    /// A field, and its key as it stands before the value.
    case field(Int, key: [UInt8])
    /// An object that holds the fields of a range.
    case object(key: [UInt8], fields: Range<Int>, steps: [Step])
  }

  private let schema: PayloadSchema
  private let locations: [FieldLocation?]
  private let steps: [Step]

  /// - Parameter schema: the contract that the records were ingested by.
  public init(_ schema: PayloadSchema) {
    self.schema = schema
    locations = schema.fields.map { schema.layout.location(of: $0.id) }
    steps = Self.steps(schema.fields, 0..<schema.fields.count, depth: 0)
  }

  private static func steps(
    _ fields: [PayloadSchema.Field], _ range: Range<Int>, depth: Int
  ) -> [Step] {
    var steps: [Step] = []
    var index = range.lowerBound
    while index < range.upperBound {
      guard fields[index].path.count > depth + 1 else {
        steps.append(.field(index, key: text(fields[index].path[depth])))
        index += 1
        continue
      }
      let parent = fields[index].path.prefix(depth + 1)
      var end = index
      while end < range.upperBound, fields[end].path.starts(with: parent) { end += 1 }
      steps.append(
        .object(
          key: text(fields[index].path[depth]), fields: index..<end,
          steps: Self.steps(fields, index..<end, depth: depth + 1)))
      index = end
    }
    return steps
  }

  private static func text(_ key: String) -> [UInt8] {
    var text: [UInt8] = []
    JSONText.appendString(key, to: &text)
    return text + [0x3A]
  }

  /// Appends a record as one line of JSON without white space. Absent fields are left out, null
  /// is written where null stood.
  ///
  /// - Throws: `RecordError` if the record is damaged.
  public func append(
    _ record: borrowing RecordView, to output: inout [UInt8]
  ) throws(RecordError) {
    try append(record, steps, to: &output)
  }

  private func append(
    _ record: borrowing RecordView, _ steps: [Step], to output: inout [UInt8]
  ) throws(RecordError) {
    output.append(0x7B)
    var needsComma = false
    for step in steps {
      switch step {
      case .field(let index, let key):
        guard let location = locations[index], record.isPresent(location) || record.isNull(location)
        else { continue }
        separate(&needsComma, key, to: &output)
        try appendValue(record, index, location, to: &output)
      case .object(let key, let fields, let inner):
        let isPresent = fields.contains { index in
          guard let location = locations[index] else { return false }
          return record.isPresent(location) || record.isNull(location)
        }
        guard isPresent else { continue }
        separate(&needsComma, key, to: &output)
        try append(record, inner, to: &output)
      }
    }
    output.append(0x7D)
  }

  private func separate(_ needsComma: inout Bool, _ key: [UInt8], to output: inout [UInt8]) {
    if needsComma { output.append(0x2C) }
    needsComma = true
    output += key
  }

  private func appendValue(
    _ record: borrowing RecordView, _ index: Int, _ location: FieldLocation,
    to output: inout [UInt8]
  ) throws(RecordError) {
    if record.isNull(location) {
      output.append(contentsOf: "null".utf8)
      return
    }
    switch schema.fields[index].kind {
    case .text, .url:
      if let text = try record.rawText(location) { JSONText.appendString(text, to: &output) }
    case .uuid:
      if let uuid = try record.uuid(location) {
        quote(UUIDText.text(high: uuid.high, low: uuid.low), to: &output)
      }
    case .date:
      if let date = try record.date(location) {
        quote(DateText.text(referenceSeconds: date) ?? [], to: &output)
      }
    case .integer:
      if let value = try record.integer(location) { output += String(value).utf8 }
    case .number:
      if let value = try record.number(location) { output += Self.digits(value).utf8 }
    case .boolean:
      if let value = try record.boolean(location) { output += (value ? "true" : "false").utf8 }
    case .textList: try appendList(record, location, to: &output)
    }
  }

  private func appendList(
    _ record: borrowing RecordView, _ location: FieldLocation, to output: inout [UInt8]
  ) throws(RecordError) {
    guard let list = try record.textList(location) else { return }
    output.append(0x5B)
    for index in 0..<list.count {
      if index > 0 { output.append(0x2C) }
      JSONText.appendString(try list.rawElement(at: index), to: &output)
    }
    output.append(0x5D)
  }

  private func quote(_ text: [UInt8], to output: inout [UInt8]) {
    output.append(0x22)
    output += text
    output.append(0x22)
  }

  // Swift writes whole numbers with a fraction; JSON text of a whole number has none.
  private static func digits(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
