public import FeedRecord
import JSONStream

/// Writes records as JSON in the form of their payload contract.
public struct RecordWriter: Sendable {
  /// The next step of writing. It holds no references, so that no reference counting happens per
  /// record.
  private enum Step: Sendable {
    /// A field, and the position of its key, which is written before the value.
    case field(PayloadSchema.Kind, FieldLocation, key: Range<Int>)
    /// An object that consists of the following steps, up to `end`.
    case object(key: Range<Int>, end: Int)
  }

  private var steps: [Step] = []
  /// The field that holds the JSON text of a document's records.
  private let text: FieldLocation?
  /// The bytes of all keys, each in quotes and followed by its colon.
  private var keys: [UInt8] = []

  /// - Parameter schema: the contract by which the records were ingested.
  public init(_ schema: PayloadSchema) {
    guard schema.document == nil else {
      text = schema.layout.location(of: DocumentForm.recordField)
      return
    }
    text = nil
    addSteps(schema, 0..<schema.fields.count, depth: 0)
  }

  private mutating func addSteps(_ schema: PayloadSchema, _ range: Range<Int>, depth: Int) {
    let fields = schema.fields
    var index = range.lowerBound
    while index < range.upperBound {
      let path = fields[index].path
      guard path.count > depth + 1 else {
        if let location = schema.layout.location(of: fields[index].id) {
          steps.append(.field(fields[index].kind, location, key: addKey(path[depth])))
        }
        index += 1
        continue
      }
      let parent = path.prefix(depth + 1)
      let start = steps.count
      let key = addKey(path[depth])
      steps.append(.object(key: key, end: start))
      var end = index
      while end < range.upperBound, fields[end].path.starts(with: parent) { end += 1 }
      addSteps(schema, index..<end, depth: depth + 1)
      steps[start] = .object(key: key, end: steps.count)
      index = end
    }
  }

  private mutating func addKey(_ key: String) -> Range<Int> {
    let start = keys.count
    JSONText.appendString(key, to: &keys)
    keys.append(0x3A)
    return start..<keys.count
  }

  /// Appends a record as one line of JSON without white space. Absent fields are omitted; an
  /// explicit null is written as null. The record of a document is its text.
  ///
  /// - Throws: `RecordError` if the record is damaged.
  public func append(
    _ record: borrowing RecordView, to output: inout [UInt8]
  ) throws(RecordError) {
    guard let text else { return try append(record, 0..<steps.count, to: &output) }
    guard let json = try record.rawJSON(text) else {
      throw RecordError(.damaged, "the record of a document has no text")
    }
    json.withUnsafeBytes { output.append(contentsOf: $0) }
  }

  private func append(
    _ record: borrowing RecordView, _ range: Range<Int>, to output: inout [UInt8]
  ) throws(RecordError) {
    output.append(0x7B)
    var needsComma = false
    var index = range.lowerBound
    while index < range.upperBound {
      switch steps[index] {
      case .field(let kind, let location, let key):
        index += 1
        guard Self.exists(location, record) else { continue }
        separate(&needsComma, key, to: &output)
        try appendValue(record, kind, location, to: &output)
      case .object(let key, let end):
        let inner = index + 1..<end
        index = end
        guard containsAny(inner, record) else { continue }
        separate(&needsComma, key, to: &output)
        try append(record, inner, to: &output)
      }
    }
    output.append(0x7D)
  }

  private static func exists(_ location: FieldLocation, _ record: borrowing RecordView) -> Bool {
    record.isPresent(location) || record.isNull(location)
  }

  private func containsAny(_ range: Range<Int>, _ record: borrowing RecordView) -> Bool {
    for index in range {
      if case .field(_, let location, _) = steps[index], Self.exists(location, record) {
        return true
      }
    }
    return false
  }

  private func separate(_ needsComma: inout Bool, _ key: Range<Int>, to output: inout [UInt8]) {
    if needsComma { output.append(0x2C) }
    needsComma = true
    output += keys[key]
  }

  private func appendValue(
    _ record: borrowing RecordView, _ kind: PayloadSchema.Kind, _ location: FieldLocation,
    to output: inout [UInt8]
  ) throws(RecordError) {
    if record.isNull(location) {
      output.append(contentsOf: "null".utf8)
      return
    }
    switch kind {
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
    case .json: break
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

  // Swift writes integral numbers with a fraction; JSON text does not need it.
  private static func digits(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
