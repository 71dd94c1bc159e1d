@_spi(Ingest) import FeedRecord

/// A field's value in tests; doubles by their bits, so that NaN equals itself.
enum Value: Hashable {
  case absent
  case null
  case text(String)
  case list([String])
  case boolean(Bool)
  case integer(Int64)
  case number(UInt64)
  case date(UInt64)
  case uuid(UInt64, UInt64)
}

enum SampleRecords {
  /// Every type twice, required and optional, with the variable ones among the fixed ones.
  static func everyType() throws -> RecordLayout {
    try RecordLayout(
      schemaID: 7,
      fields: [
        RecordField(id: 10, type: .text),
        RecordField(id: 11, type: .integer),
        RecordField(id: 12, type: .textList, isOptional: true),
        RecordField(id: 13, type: .boolean),
        RecordField(id: 14, type: .uuid, isOptional: true),
        RecordField(id: 15, type: .number, isOptional: true),
        RecordField(id: 16, type: .text, isOptional: true),
        RecordField(id: 17, type: .date),
        RecordField(id: 18, type: .boolean, isOptional: true),
        RecordField(id: 19, type: .integer, isOptional: true),
        RecordField(id: 20, type: .textList),
        RecordField(id: 21, type: .date, isOptional: true),
        RecordField(id: 22, type: .number),
        RecordField(id: 23, type: .uuid),
      ])
  }

  /// Each type once, for tests that read a block many times.
  static func eachTypeOnce() throws -> RecordLayout {
    try RecordLayout(
      schemaID: 8,
      fields: [
        RecordField(id: 1, type: .text),
        RecordField(id: 2, type: .integer),
        RecordField(id: 3, type: .textList, isOptional: true),
        RecordField(id: 4, type: .boolean),
        RecordField(id: 5, type: .uuid, isOptional: true),
        RecordField(id: 6, type: .date),
        RecordField(id: 7, type: .number),
        RecordField(id: 8, type: .text, isOptional: true),
      ])
  }

  static let eachTypeOnceRecords: [[Value]] = [
    [
      .text("Zürich"), .integer(-5), .list(["a", "", "çé"]), .boolean(true), .uuid(1, 2),
      .date((0.5).bitPattern), .number((-0.5).bitPattern), .text("last"),
    ],
    [.absent, .absent, .null, .absent, .null, .absent, .absent, .null],
  ]

  static func university() throws -> RecordLayout {
    try RecordLayout(
      schemaID: 3,
      fields: [
        RecordField(id: 1, type: .text),
        RecordField(id: 2, type: .text),
        RecordField(id: 3, type: .text),
        RecordField(id: 4, type: .text, isOptional: true),
        RecordField(id: 5, type: .textList),
        RecordField(id: 6, type: .textList, isOptional: true),
      ])
  }

  /// One text, so that a test chooses the variable bytes of a record freely.
  static func singleText() throws -> RecordLayout {
    try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .text)])
  }

  /// Values for `everyType`: full, null where possible, absent everywhere, and empty.
  static let everyTypeRecords: [[Value]] = [
    [
      .text("Zürich 🏔"), .integer(.min), .list(["a", "", "çé"]), .boolean(true),
      .uuid(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF), .number((-0.5).bitPattern),
      .text("second"), .date((-12.25).bitPattern), .boolean(false), .integer(.max),
      .list(["one"]), .date((1e9).bitPattern), .number((1.0 / 3).bitPattern),
      .uuid(1, 2),
    ],
    [
      .text("only what is required"), .integer(0), .null, .boolean(false), .null, .null, .null,
      .date((0.0).bitPattern), .null, .null, .list(["x", "y"]), .null, .number((-0.0).bitPattern),
      .uuid(.max, .max),
    ],
    [Value](repeating: .absent, count: 14),
    [
      .text(""), .integer(-1), .list([]), .boolean(true), .absent, .absent, .text(""),
      .date(Double.infinity.bitPattern), .absent, .absent, .list([""]), .absent,
      .number(Double.greatestFiniteMagnitude.bitPattern), .uuid(0, 0),
    ],
  ]
}

extension RecordEncoder {
  /// Encodes one record of any layout from values in the order of its fields.
  mutating func encode(_ values: [Value], keyHash: UInt64 = 0) {
    begin(variableByteCount: values.reduce(0) { $0 + $1.variableByteCount })
    for (field, value) in values.enumerated() {
      switch value {
      case .absent: break
      case .null: setNull(field)
      case .text(let text): setText(field, text.utf8.span.bytes)
      case .boolean(let value): setBoolean(field, value)
      case .integer(let value): setInteger(field, value)
      case .number(let bits): setNumber(field, Double(bitPattern: bits))
      case .date(let bits): setDate(field, referenceSeconds: Double(bitPattern: bits))
      case .uuid(let high, let low): setUUID(field, high: high, low: low)
      case .list(let elements):
        beginList(field, count: elements.count)
        for element in elements { appendElement(element.utf8.span.bytes) }
      }
    }
    end(keyHash: keyHash)
  }
}

extension Value {
  var variableByteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .list(let elements):
      elements.reduce(RecordEncoder.listOverhead(count: elements.count)) { $0 + $1.utf8.count }
    default: 0
    }
  }
}

extension RecordView {
  /// All values of the record, read by id.
  func values(_ layout: RecordLayout) throws(RecordError) -> [Value] {
    var values: [Value] = []
    for field in layout.fields { values.append(try value(field)) }
    return values
  }

  func value(_ field: RecordField) throws(RecordError) -> Value {
    guard let location = location(of: field.id) else { return .absent }
    return try value(field.type, location)
  }

  func value(_ type: FieldType, _ location: FieldLocation) throws(RecordError) -> Value {
    guard isPresent(location) else { return isNull(location) ? .null : .absent }
    switch type {
    case .json: return .absent
    case .text, .span:
      return try text(location).map { .text($0) } ?? .absent
    case .textList:
      guard let list = try textList(location) else { return .absent }
      var elements: [String] = []
      for index in 0..<list.count { elements.append(try list.element(at: index)) }
      return .list(elements)
    case .boolean: return try boolean(location).map { .boolean($0) } ?? .absent
    case .integer: return try integer(location).map { .integer($0) } ?? .absent
    case .number: return try number(location).map { .number($0.bitPattern) } ?? .absent
    case .date: return try date(location).map { .date($0.bitPattern) } ?? .absent
    case .uuid: return try uuid(location).map { .uuid($0.high, $0.low) } ?? .absent
    }
  }
}

/// The records of a block, after its checksum has been verified.
func readBlock(_ bytes: [UInt8], seed: UInt64, layout: RecordLayout) throws -> [[Value]] {
  let block = try BlockView(bytes.span.bytes)
  try block.verify(seed: seed)
  var records: [[Value]] = []
  for index in 0..<block.recordCount {
    records.append(try block.record(at: index).values(layout))
  }
  return records
}

/// One block of all these records, which must fit.
func makeBlock(
  _ records: [[Value]], layout: RecordLayout, number: UInt32 = 0, firstOrdinal: UInt64 = 0,
  seed: UInt64
) -> [UInt8] {
  var encoder = RecordEncoder(layout: layout)
  for record in records { encoder.encode(record) }
  var builder = BlockBuilder(layout: layout)
  for index in 0..<encoder.count {
    builder.append(encoder.bytes(at: index), isWide: encoder.isWide(at: index))
  }
  return builder.seal(number: number, firstOrdinal: firstOrdinal, seed: seed).bytes
}

/// The code of the error that the body throws, nil if it throws none.
func errorCode(_ body: () throws(RecordError) -> Void) -> RecordError.Code? {
  do throws(RecordError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}
