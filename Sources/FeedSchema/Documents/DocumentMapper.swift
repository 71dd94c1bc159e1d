import CFeedScan
@_spi(Ingest) package import FeedRecord
@_spi(Records) package import JSONStream

/// Turns the tape of documents into records: the JSON text, and spans of the fields.
package struct DocumentMapper: ~Copyable {
  /// A value to which a field or a part of a composed field refers.
  private struct Found {
    enum State {
      case absent, null, container
      /// A part of the record's text.
      case text
      /// A range of the decoded bytes.
      case decoded
    }

    var state = State.absent
    var value = TapeEntry()
    /// Where its bytes are among the decoded bytes, or in the compact text.
    var offset = 0
    var count = 0
  }

  /// In longer records all fields have copies of their values before the text, since a span reaches
  /// 64 KiB.
  private static let reachedByteCount = 60_000

  private static let trueHash = KeyHash.hash(Array("true".utf8).span.bytes)
  private static let falseHash = KeyHash.hash(Array("false".utf8).span.bytes)

  /// The mapped records that have not been taken yet.
  package var encoder: RecordEncoder
  private let kernel: feedscan_kernel
  private let keepsFirst: Bool
  private let key: Key
  private let isKeyed: Bool
  private let fieldCount: Int
  /// The fields that are composed of parts, and the slots of these.
  private let compositions: [(field: Int, parts: [Int])]
  /// The value of each field, and then of each part.
  private var found: [Found]
  /// The fields whose values are parts of the text, in the order of the text.
  private var inText: [Int] = []
  private var decoded: [UInt8] = []
  /// Whether the last record had no white space to remove. The next one probably has none.
  private var isCompact = true

  private enum Key {
    case position, member
    case field(Int)
  }

  package init(_ schema: PayloadSchema, _ form: DocumentForm, _ options: JSONOptions) {
    encoder = RecordEncoder(layout: schema.layout)
    kernel = options.kernel
    keepsFirst = options.duplicateKeys == .first
    isKeyed = form.plan.framing == .keyed
    fieldCount = schema.fields.count
    key =
      switch form.key {
      case .position: .position
      case .member: .member
      case .field(let id): .field(schema.fields.firstIndex { $0.id == id } ?? 0)
      }
    let slots = FieldSlots(schema, form)
    compositions = slots.compositions
    found = Array(repeating: Found(), count: slots.paths.count)
  }

  /// Maps the records of a tape from the given one on. Every valid JSON value is a record.
  package mutating func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    guard let statistics = tape.context as? LaneStatistics else { return nil }
    statistics.withCounter { counter in
      for record in first..<tape.recordCount { map(tape, record, &counter) }
    }
    return nil
  }

  private mutating func map(
    _ tape: borrowing RecordTape, _ record: Int, _ counter: inout ValueCounter
  ) {
    for slot in found.indices { found[slot].state = .absent }
    if !decoded.isEmpty { decoded.removeAll(keepingCapacity: true) }
    counter.count(tape, record: record) { slot, value in note(Int(slot), value, tape) }
    for composition in compositions { compose(composition.field, of: composition.parts, tape) }
    let member = isKeyed ? tape.memberKey(of: record) : RawSpan()
    let before = decoded.count + member.byteCount
    if before + tape.rawByteCount(of: record) > Self.reachedByteCount { copyFields(tape) }
    let hash = keyHash(tape, member)
    beginDocument(member, bound: tape.rawByteCount(of: record))
    if !(isCompact && writeCompact(tape, record)) { writeInParts(tape, record) }
    encoder.endJSON()
    setSpans()
    encoder.end(keyHash: hasFarKey ? 0 : hash)
  }

  private mutating func beginDocument(_ member: RawSpan, bound: Int) {
    guard !decoded.isEmpty else {
      return encoder.beginDocument(decoded: RawSpan(), member: member, bound: bound)
    }
    // Moved out, since these bytes are borrowed while the encoder changes. A copy would be counted.
    let bytes = exchange(&decoded, with: [])
    encoder.beginDocument(decoded: bytes.span.bytes, member: member, bound: bound)
    decoded = bytes
  }

  /// Remembers the value of a field or part.
  private mutating func note(
    _ slot: Int, _ value: TapeEntry, _ tape: borrowing RecordTape
  ) {
    if keepsFirst, found[slot].state != .absent { return }
    var state = Found.State.text
    let start = decoded.count
    switch value.kind {
    case .string where value.isEscaped:
      let text = tape.bytes(of: value)
      JSONCursor.Text(0..<text.byteCount, isEscaped: true).appendDecoded(in: text, to: &decoded)
      state = .decoded
    case .number where !KeyText.isCanonical(tape.bytes(of: value)):
      KeyText.append(tape.bytes(of: value), to: &decoded)
      state = .decoded
    case .string, .number, .true, .false: break
    case .null: state = .null
    default: state = .container
    }
    found[slot] = Found(
      state: state, value: value, offset: start, count: decoded.count - start)
  }

  /// Appends the bytes of a scalar that is a part of the text.
  private static func append(
    _ value: TapeEntry, _ tape: borrowing RecordTape, to output: inout [UInt8]
  ) {
    switch value.kind {
    case .true: output += "true".utf8
    case .false: output += "false".utf8
    default: tape.bytes(of: value).withUnsafeBytes { output.append(contentsOf: $0) }
    }
  }

  /// Joins the parts of a composed field; it is absent unless all parts are scalars.
  private mutating func compose(
    _ field: Int, of parts: [Int], _ tape: borrowing RecordTape
  ) {
    for part in parts where found[part].state != .text && found[part].state != .decoded { return }
    let start = decoded.count
    for (index, part) in parts.enumerated() {
      if index > 0 { decoded.append(DocumentForm.partSeparator) }
      if found[part].state == .text {
        Self.append(found[part].value, tape, to: &decoded)
      } else {
        for place in found[part].offset..<found[part].offset + found[part].count {
          decoded.append(decoded[place])
        }
      }
    }
    found[field] = Found(state: .decoded, offset: start, count: decoded.count - start)
  }

  /// Copies the values of fields that are parts of the text.
  private mutating func copyFields(_ tape: borrowing RecordTape) {
    for field in 0..<fieldCount where found[field].state == .text {
      found[field].state = .decoded
      found[field].offset = decoded.count
      Self.append(found[field].value, tape, to: &decoded)
      found[field].count = decoded.count - found[field].offset
    }
  }

  /// The offset in the chunk of a scalar's bytes, for a string those after its quote.
  private static func start(of value: TapeEntry) -> Int {
    value.kind == .string || value.kind == .number ? Int(value.offset) : Int(value.position)
  }

  private static func byteCount(of value: TapeEntry) -> Int {
    switch value.kind {
    case .true: 4
    case .false: 5
    default: Int(value.length)
    }
  }

  private func keyHash(_ tape: borrowing RecordTape, _ member: RawSpan) -> UInt64 {
    switch key {
    case .position: return 0
    case .member: return MemberKey.hash(member)
    case .field(let field):
      let value = found[field]
      switch (value.state, value.value.kind) {
      case (.decoded, _):
        let bytes = decoded.span.bytes
        return KeyHash.hash(bytes.extracting(value.offset..<value.offset + value.count))
      case (.text, .true): return Self.trueHash
      case (.text, .false): return Self.falseHash
      case (.text, _): return KeyHash.hash(tape.bytes(of: value.value))
      default: return 0
      }
    }
  }

  /// Writes the text of a record without white space to remove; false if there is some.
  private mutating func writeCompact(_ tape: borrowing RecordTape, _ record: Int) -> Bool {
    let start = tape.rawStart(of: record)
    let byteCount = tape.rawByteCount(of: record)
    let before = encoder.documentByteCount
    let kernel = kernel
    encoder.appendJSON {
      tape.copyCompact(start..<start + byteCount, of: record, to: $0, kernel)
    }
    guard encoder.documentByteCount - before == byteCount else {
      isCompact = false
      encoder.restartJSON()
      return false
    }
    for field in 0..<fieldCount where found[field].state == .text {
      let value = found[field].value
      found[field].offset = before + Self.start(of: value) - start
      found[field].count = Self.byteCount(of: value)
    }
    return true
  }

  /// Writes the text of a record without white space. It is removed between the values of fields, which
  /// then are where the output ends.
  private mutating func writeInParts(_ tape: borrowing RecordTape, _ record: Int) {
    let start = tape.rawStart(of: record)
    let end = start + tape.rawByteCount(of: record)
    let before = encoder.documentByteCount
    let kernel = kernel
    inText.removeAll(keepingCapacity: true)
    for field in 0..<fieldCount where found[field].state == .text { insertInOrder(field) }
    var from = start
    for index in inText.indices {
      let field = inText[index]
      let position = Self.start(of: found[field].value)
      // A string begins inside its quotes, where no part may end.
      let partEnd = found[field].value.kind == .string ? position - 1 : position
      encoder.appendJSON { tape.copyCompact(from..<partEnd, of: record, to: $0, kernel) }
      found[field].offset = encoder.documentByteCount + (position - partEnd)
      found[field].count = Self.byteCount(of: found[field].value)
      from = partEnd
    }
    encoder.appendJSON { tape.copyCompact(from..<end, of: record, to: $0, kernel) }
    isCompact = encoder.documentByteCount - before == end - start
  }

  private mutating func insertInOrder(_ field: Int) {
    let position = Self.start(of: found[field].value)
    var place = inText.count
    while place > 0, Self.start(of: found[inText[place - 1]].value) > position { place -= 1 }
    inText.insert(field, at: place)
  }

  private mutating func setSpans() {
    for field in 0..<fieldCount {
      switch found[field].state {
      case .absent: break
      case .null: encoder.setNull(field)
      case .container: encoder.setFarSpan(field)
      case .text, .decoded:
        encoder.setSpan(field, offset: found[field].offset, count: found[field].count)
      }
    }
  }

  /// Whether the key is a value that no span reaches: no look-up could compare it.
  private var hasFarKey: Bool {
    guard case .field(let field) = key else { return false }
    return max(found[field].offset, found[field].count) >= SpanFormat.far
  }
}

/// The paths of a schema's fields, and then those of the parts of composed fields.
struct FieldSlots {
  private(set) var paths: [[String]]
  private(set) var compositions: [(field: Int, parts: [Int])] = []

  init(_ schema: PayloadSchema, _ form: DocumentForm) {
    paths = schema.fields.map(\.path)
    for (index, field) in schema.fields.enumerated() {
      guard let parts = form.compositions[field.id] else { continue }
      let slots = parts.map { part in
        if let known = paths.firstIndex(of: part) { return known }
        paths.append(part)
        return paths.count - 1
      }
      compositions.append((index, slots))
    }
  }
}

/// The key of the member whose value a record is.
package enum MemberKey {
  /// Passes the UTF-8 of a key that is given as it is written between its quotes.
  package static func withBytes<R>(
    _ raw: borrowing RawSpan, _ body: (RawSpan) -> R
  ) -> R {
    for place in 0..<raw.byteCount where raw.byte(at: place) == 0x5C {
      let bytes = JSONCursor.Text(0..<raw.byteCount, isEscaped: true).decoded(in: raw)
      return body(bytes.span.bytes)
    }
    return body(raw)
  }

  static func hash(_ raw: borrowing RawSpan) -> UInt64 { withBytes(raw) { KeyHash.hash($0) } }
}
