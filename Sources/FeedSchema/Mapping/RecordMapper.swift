import CFeedScan
@_spi(Ingest) package import FeedRecord
@_spi(Records) package import JSONStream
import URLEscaping

/// Converts the selected values of records to flat records, by a schema.
///
/// Runs once per record on the hot path: it creates no `String` and allocates nothing.
package struct RecordMapper: ~Copyable {
  /// The properties of a field that the fast path needs.
  private struct Plan {
    let field: NarrowRecord.Field
    let kind: PayloadSchema.Kind
    /// The kinds of entries that are written as text without conversion, one bit each.
    let textKinds: UInt16
    let isRequired: Bool

    init(_ field: PayloadSchema.Field, _ narrow: NarrowRecord.Field) {
      self.field = narrow
      kind = field.kind
      isRequired = field.isRequired
      var kinds: [TapeEntry.Kind] = []
      if kind == .text { kinds = isRequired ? [.string] : [.string, .absent, .null] }
      textKinds = kinds.reduce(0) { $0 | 1 << $1.rawValue }
    }
  }

  private struct Key {
    let field: Int
    let isUUID: Bool
  }

  let fields: [PayloadSchema.Field]
  let groups: [Selection.Group]
  let takesCommonDates: Bool
  private let plans: [Plan]
  private let key: Key
  /// The mapped records that have not been taken yet.
  package var encoder: RecordEncoder
  /// The optional URLs of these records that are not absolute, in the order of the records.
  var oddURLs: [OddURL] = []

  /// An optional URL that is not absolute.
  struct OddURL {
    /// The index of its record among the mapped ones.
    let record: Int
    let shape: URLShape
  }

  /// - Parameters:
  ///   - schema: the contract of the records.
  ///   - dates: how to treat a date in another form than the contract's.
  package init(_ schema: PayloadSchema, dates: PayloadParser.Dates = .strict) {
    takesCommonDates = dates == .lenient
    fields = schema.fields
    groups = Self.selection(for: schema).groups
    key = Key(
      field: schema.fields.firstIndex(of: schema.keyField) ?? 0,
      isUUID: schema.keyField.kind == .uuid)
    encoder = RecordEncoder(layout: schema.layout)
    plans = zip(schema.fields, encoder.narrowFields ?? []).map { Plan($0, $1) }
  }

  /// The values that a lane must record for this schema; each field's slot is its index.
  package static func selection(for schema: PayloadSchema) -> Selection {
    Selection(schema.fields.map { Selection.Path($0.path, isList: $0.kind == .textList) })
  }

  /// Maps the records of a tape, from the given one up to the first that violates the schema.
  package mutating func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    // A local copy instead of the property, because the encoder in `self` changes.
    let plans = plans
    var record = first
    while true {
      if !plans.isEmpty {
        record = Self.mapNarrow(tape, from: record, by: plans.span, key: key, into: &encoder)
      }
      guard record < tape.recordCount else { return nil }
      // This record is too long, has a date in another form, or violates the schema.
      guard encodeMeasured(tape, tape.entries(of: record)) else { return firstFault(tape, record) }
      record += 1
    }
  }

  // Whether the parents of selected values are objects or null, and the record is an object.
  @inline(__always)
  static func hasSoundParents(_ entries: borrowing Span<TapeEntry>, after fieldCount: Int) -> Bool {
    let last = entries.count - 1
    var slot = fieldCount
    while slot < last {
      let kind = entries[slot].kind
      guard kind == .absent || kind == .group || kind == .null else { return false }
      slot &+= 1
    }
    return entries[last].kind == .absent
  }

  // Returns the first record that it cannot map, or the end. It takes only what it uses instead of
  // the mapper, so that the compiler keeps it in registers.
  private static func mapNarrow(
    _ tape: borrowing RecordTape, from first: Int, by plans: Span<Plan>, key: Key,
    into encoder: inout RecordEncoder
  ) -> Int {
    var next = first
    while next < tape.recordCount {
      // The text of a field is never longer than its record.
      let bound = tape.rawByteCount(of: next)
      let entries = tape.entries(of: next)
      guard bound <= RecordEncoder.maximumNarrowByteCount,
        hasSoundParents(entries, after: plans.count)
      else { return next }
      // The width is a constant in both calls.
      let isEnded =
        encoder.expectsShort
        ? encode(tape, entries, atMost: bound, isShort: true, by: plans, key: key, into: &encoder)
        : encode(tape, entries, atMost: bound, isShort: false, by: plans, key: key, into: &encoder)
      guard let isEnded else { return next }
      if isEnded { next &+= 1 }
    }
    return next
  }

  // False if the record has the other width, nil if it cannot be mapped.
  @inline(__always)
  private static func encode(
    _ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>, atMost bound: Int,
    isShort: Bool, by plans: Span<Plan>, key: Key, into encoder: inout RecordEncoder
  ) -> Bool? {
    var record = encoder.beginNarrow(atMost: bound, isShort: isShort)
    guard fill(&record, plans, tape, entries) else { return nil }
    // A UUID is hashed in its stored form, so that its text is read only once.
    let hash =
      key.isUUID
      ? record.hashOfUUID(plans[key.field].field) : KeyHash.hash(tape.bytes(of: entries[key.field]))
    return encoder.endNarrow(record, isShort: isShort, keyHash: hash)
  }

  // Not inlined, and returns a value instead of changing the record. Both keep the record in
  // registers.
  @inline(never)
  private static func fixedValue(
    _ kind: PayloadSchema.Kind, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> FixedValue? { FixedValue(kind, entry, tape) }

  @inline(__always)
  private static func fill(
    _ record: inout NarrowRecord, _ plans: Span<Plan>, _ tape: borrowing RecordTape,
    _ entries: borrowing Span<TapeEntry>
  ) -> Bool {
    // Every index below is then within both.
    guard entries.count >= plans.count else { return false }
    var index = 0
    while index < plans.count {
      let entry = entries[unchecked: index]
      let kind = entry.kind
      // Texts and lists of texts are the main content of payloads. Whether an optional field has
      // one is unpredictable, so absent and null are written as empty texts, without a branch.
      if plans[unchecked: index].textKinds &>> UInt16(kind.rawValue) & 1 != 0 {
        record.setText(
          plans[unchecked: index].field, padded: tape.bytes(of: entry), isPresent: kind == .string,
          isNull: kind == .null)
      } else if kind == .list, plans[unchecked: index].kind == .textList {
        guard setList(&record, plans[unchecked: index].field, entry, tape) else { return false }
      } else if kind == .string, plans[unchecked: index].kind == .url {
        let text = tape.bytes(of: entry)
        // Others are accepted too, and counted, where the record is measured.
        guard URLText.isAbsolute(text) else { return false }
        record.setText(plans[unchecked: index].field, padded: text)
      } else if kind == .absent || kind == .null {
        guard !plans[unchecked: index].isRequired else { return false }
        if kind == .absent {
          record.setAbsent(plans[unchecked: index].field)
        } else {
          record.setNull(plans[unchecked: index].field)
        }
      } else {
        switch fixedValue(plans[unchecked: index].kind, entry, tape) {
        case .word(let word): record.setWord(plans[unchecked: index].field, word)
        case .boolean(let value): record.setBoolean(plans[unchecked: index].field, value)
        case .uuid(let high, let low):
          record.setUUID(plans[unchecked: index].field, high: high, low: low)
        case nil: return false
        }
      }
      index &+= 1
    }
    return true
  }

  // Inlined, because a call would force the record into memory.
  @inline(always)
  private static func setList(
    _ record: inout NarrowRecord, _ field: NarrowRecord.Field, _ list: TapeEntry,
    _ tape: borrowing RecordTape
  ) -> Bool {
    let elements = tape.elements(of: list)
    if elements.count == 1 {
      let element = elements[0]
      guard element.kind == .string else { return false }
      record.setList(field, ofPadded: tape.bytes(of: element))
      return true
    }
    var position = record.beginList(field, count: elements.count)
    for index in elements.indices {
      let element = elements[index]
      guard element.kind == .string else { return false }
      record.appendElement(
        &position, padded: tape.bytes(of: element), isLast: index == elements.count - 1)
    }
    record.endList(field)
    return true
  }

  func keyHash(_ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>) -> UInt64 {
    let text = tape.bytes(of: entries[key.field])
    guard key.isUUID, let uuid = UUIDText.parse(text) else { return KeyHash.hash(text) }
    let bytes = UUIDText.bytes(high: uuid.high, low: uuid.low)
    return KeyHash.hash(bytes.span.bytes)
  }
}

/// A fixed-width value of a record.
enum FixedValue {
  /// An integer, or the bits of a number or date.
  case word(UInt64)
  case boolean(Bool)
  case uuid(high: UInt64, low: UInt64)

  /// Converts a token to a value of a field's kind; nil if the token has no such value.
  init?(_ kind: PayloadSchema.Kind, _ entry: TapeEntry, _ tape: borrowing RecordTape) {
    self.init(kind, entry.kind, tape.bytes(of: entry))
  }

  /// The same for a token that is given by its kind and its text.
  @inline(__always)
  init?(_ kind: PayloadSchema.Kind, _ token: TapeEntry.Kind, _ text: borrowing RawSpan) {
    switch (kind, token) {
    case (.uuid, .string):
      guard let uuid = UUIDText.parse(text) else { return nil }
      self = .uuid(high: uuid.high, low: uuid.low)
    case (.date, .string):
      guard let seconds = DateText.parse(text) else { return nil }
      self = .word(seconds.bitPattern)
    case (.integer, .number):
      guard let value = NumberText.integer(text) else { return nil }
      self = .word(UInt64(bitPattern: value))
    case (.number, .number):
      guard let value = NumberText.number(text) else { return nil }
      self = .word(value.bitPattern)
    case (.boolean, .true): self = .boolean(true)
    case (.boolean, .false): self = .boolean(false)
    default: return nil
    }
  }
}
