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
    /// Whether the bytes are the content of a string, between two quotes.
    var isQuoted = false
    /// Where its bytes begin in the chunk or in the decoded bytes.
    var offset = 0
    var count = 0
    /// Where they begin in replay's copy of the record. Once the record is encoded, where they
    /// begin in its variable bytes.
    var position = 0

    var range: Range<Int> { offset..<offset + count }

    init() {}

    init(_ state: State) { self.state = state }

    init(text value: TapeEntry, isQuoted: Bool = false) {
      state = .text
      self.isQuoted = isQuoted
      offset = Int(value.offset)
      count = Int(value.length)
      position = Int(value.position)
    }

    init(decoded range: Range<Int>) {
      state = .decoded
      offset = range.lowerBound
      count = range.count
      position = offset
    }
  }

  /// Values of longer records are copied before the text, because a span reaches only 64 KiB.
  private static let reachedByteCount = 60_000

  /// The mapped records that have not been taken yet.
  package var encoder: RecordEncoder
  private let kernel: feedscan_kernel
  private let keepsFirst: Bool
  private let key: Key
  private let isKeyed: Bool
  private let fieldCount: Int
  /// The fields that are composed of parts, and the slots of the parts.
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
      for start in stride(from: first, to: tape.recordCount, by: counter.recordsAtOnce) {
        let records = start..<min(start + counter.recordsAtOnce, tape.recordCount)
        counter.count(tape, records, keepsFirst: keepsFirst)
        let lateValues = counter.lateValues
        let (fields, fieldStride) = (counter.valuesOfFields, counter.fieldStride)
        for record in records {
          let place = fieldStride * (record - start)
          findFields(tape, record, fields.extracting(place..<place + fieldStride)) {
            lateValues[place + 1 + $0]
          }
          map(tape, record)
        }
      }
    }
    return nil
  }

  /// Finds the values of fields and parts.
  ///
  /// - Parameters:
  ///   - fields: the indices plus 1 of the values. The first element belongs to no field.
  ///   - lateValue: returns the value of a field if it is not on the tape.
  @inline(__always)
  private mutating func findFields(
    _ tape: borrowing RecordTape, _ record: Int, _ fields: Span<UInt32>,
    _ lateValue: (Int) -> TapeEntry?
  ) {
    if !decoded.isEmpty { decoded.removeAll(keepingCapacity: true) }
    let values = tape.elements(of: tape.entries(of: record)[0])
    for slot in found.indices {
      let index = Int(fields[slot + 1])
      if index > 0, let value = index <= values.count ? values[index - 1] : lateValue(slot) {
        found[slot] = find(value, tape)
      } else {
        found[slot].state = .absent
      }
    }
  }

  /// Encodes a record whose fields have been found.
  private mutating func map(_ tape: borrowing RecordTape, _ record: Int) {
    let list = tape.entries(of: record)[0]
    for composition in compositions { compose(composition.field, of: composition.parts, tape) }
    let member = isKeyed ? tape.memberKey(of: record) : RawSpan()
    let byteCount = tape.rawByteCount(of: record)
    // What is stored must not depend on whether replay has made a copy.
    if decoded.count + member.byteCount + byteCount > Self.reachedByteCount { copyFields(tape) }
    let bound = list.isOfCopiedRecord ? tape.copiedBytes(of: record).byteCount : byteCount
    let hash = keyHash(tape, member)
    beginDocument(member, bound: bound)
    let textStart = encoder.documentByteCount
    if list.isOfCopiedRecord {
      encoder.appendJSON(tape.copiedBytes(of: record))
      for field in 0..<fieldCount where found[field].state == .text {
        found[field].position += textStart
      }
    } else if list.isOfCompactRecord {
      encoder.appendJSON(tape.rawBytes(of: record))
      placeFields(from: tape.rawStart(of: record), at: textStart)
    } else if isCompact && writeCompact(tape, record) {
      placeFields(from: tape.rawStart(of: record), at: textStart)
    } else {
      writeInParts(tape, record)
    }
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

  /// Finds the bytes of a field or part: in the chunk, or decoded if the chunk has them in another
  /// form.
  @inline(__always)
  private mutating func find(_ value: TapeEntry, _ tape: borrowing RecordTape) -> Found {
    switch value.kind {
    case .string:
      if value.isEscaped { return decode(value, tape) }
      return Found(text: value, isQuoted: true)
    case .number:
      return KeyText.isCanonical(tape.bytes(of: value)) ? Found(text: value) : decode(value, tape)
    case .true, .false: return Found(text: value)
    case .null: return Found(.null)
    default: return Found(.container)
    }
  }

  @inline(never)
  private mutating func decode(_ value: TapeEntry, _ tape: borrowing RecordTape) -> Found {
    let start = decoded.count
    let text = tape.bytes(of: value)
    if value.kind == .string {
      JSONCursor.Text(0..<text.byteCount, isEscaped: true).appendDecoded(in: text, to: &decoded)
    } else {
      KeyText.append(text, to: &decoded)
    }
    return Found(decoded: start..<decoded.count)
  }

  /// Copies a part of the text to the decoded bytes.
  private mutating func appendDecoded(_ range: Range<Int>, _ tape: borrowing RecordTape) {
    tape.chunkBytes(range).withUnsafeBytes { decoded.append(contentsOf: $0) }
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
        appendDecoded(found[part].range, tape)
      } else {
        for place in found[part].range { decoded.append(decoded[place]) }
      }
    }
    found[field] = Found(decoded: start..<decoded.count)
  }

  /// Copies the values of fields that are parts of the text.
  private mutating func copyFields(_ tape: borrowing RecordTape) {
    for field in 0..<fieldCount where found[field].state == .text {
      let start = decoded.count
      appendDecoded(found[field].range, tape)
      found[field] = Found(decoded: start..<decoded.count)
    }
  }

  private func keyHash(_ tape: borrowing RecordTape, _ member: RawSpan) -> UInt64 {
    switch key {
    case .position: return 0
    case .member: return MemberKey.hash(member)
    case .field(let field):
      switch found[field].state {
      case .decoded: return KeyHash.hash(decoded.span.bytes.extracting(found[field].range))
      case .text: return KeyHash.hash(tape.chunkBytes(found[field].range))
      case .absent, .null, .container: return 0
      }
    }
  }

  /// Writes the text of a record that has no white space to remove. Returns false if it has some.
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
    return true
  }

  /// Writes the text of a record without white space, in parts. A part ends before the value of a
  /// field, so the length of the output gives the value's position.
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
      // A string begins inside its quotes, where no part may end.
      let quote = found[field].isQuoted ? 1 : 0
      let partEnd = found[field].offset - quote
      encoder.appendJSON { tape.copyCompact(from..<partEnd, of: record, to: $0, kernel) }
      found[field].position = encoder.documentByteCount + quote
      from = partEnd
    }
    encoder.appendJSON { tape.copyCompact(from..<end, of: record, to: $0, kernel) }
    isCompact = encoder.documentByteCount - before == end - start
  }

  private mutating func insertInOrder(_ field: Int) {
    let position = found[field].offset
    var place = inText.count
    while place > 0, found[inText[place - 1]].offset > position { place -= 1 }
    inText.insert(field, at: place)
  }

  /// - Parameters:
  ///   - start: where the text of the record begins in the chunk.
  ///   - textStart: where it begins in the variable bytes of the encoded record.
  private mutating func placeFields(from start: Int, at textStart: Int) {
    for field in 0..<fieldCount where found[field].state == .text {
      found[field].position = found[field].offset - start + textStart
    }
  }

  private mutating func setSpans() {
    for field in 0..<fieldCount {
      switch found[field].state {
      case .absent: break
      case .null: encoder.setNull(field)
      case .container: encoder.setFarSpan(field)
      case .text, .decoded:
        encoder.setSpan(field, offset: found[field].position, count: found[field].count)
      }
    }
  }

  /// Whether the key is a value that no span reaches, so that a lookup could not compare it.
  private var hasFarKey: Bool {
    guard case .field(let field) = key else { return false }
    return max(found[field].position, found[field].count) >= SpanFormat.far
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
