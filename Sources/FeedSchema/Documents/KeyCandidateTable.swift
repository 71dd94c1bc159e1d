@_spi(Records) import JSONStream

/// The key candidates, and their values in the records added so far.
struct KeyCandidateTable {
  /// A field of the first record that may be a key.
  struct Candidate {
    let path: [String]
    let rank: KeyRank
    /// The hashes of its values. Values that collide count as repeated.
    fileprivate(set) var values: Set<UInt64> = []
    /// Whether all values are short strings.
    fileprivate(set) var isShortText = true
    /// Its value in the current record.
    fileprivate var current: UInt64?
    fileprivate var isPresent = true
  }

  /// A member or column of the records.
  private struct Field {
    /// The UTF-8 of the key; empty for a column.
    let key: [UInt8]
    /// The candidate that is the value.
    var candidate: Int?
    /// The candidates inside the value, if it is an object.
    var inner: [(key: [UInt8], candidate: Int)] = []
  }

  private var all: [Candidate] = []
  private var fields: [Field] = []
  /// The fields by the hashes of their keys.
  private var fieldsByHash: [UInt64: Int] = [:]
  private let columns: [String]?

  /// The candidates that all records have.
  var candidates: [Candidate] { all.filter(\.isPresent) }

  /// - Parameters:
  ///   - first: the record whose fields may be keys.
  ///   - columns: the names of its elements; nil if records are objects.
  init(first: Range<Int>, _ head: RawSpan, columns: [String]?) {
    self.columns = columns
    var cursor = JSONCursor(head, at: first.lowerBound)
    guard let kind = cursor.enter(), (kind == .array) == (columns != nil) else { return }
    if let columns {
      for (index, name) in columns.prefix(KeyCandidates.maximumFields).enumerated() {
        fields.append(Field(key: [], candidate: addCandidate(["\(index)"], name)))
      }
      return
    }
    while fields.count < KeyCandidates.maximumFields, let key = cursor.nextKey() {
      addField(key, &cursor)
    }
  }

  private mutating func addField(_ key: JSONCursor.Text, _ cursor: inout JSONCursor) {
    let name = key.string(in: cursor.bytes)
    let bytes = key.decoded(in: cursor.bytes)
    let hash = Self.hash(bytes.span.bytes)
    guard fieldsByHash[hash] == nil else {
      _ = cursor.skipValue()
      return
    }
    var field = Field(key: bytes)
    switch cursor.nextKind() {
    case .object:
      guard cursor.enter() != nil else { return }
      while let key = cursor.nextKey() {
        let (inner, bytes) = (key.string(in: cursor.bytes), key.decoded(in: cursor.bytes))
        if let rank = KeyRank(inner, isInner: true),
          !field.inner.contains(where: { $0.key == bytes })
        {
          field.inner.append((bytes, all.count))
          all.append(Candidate(path: [name, inner], rank: rank))
        }
        guard cursor.skipValue() != nil else { return }
      }
    case .string, .number:
      field.candidate = addCandidate([name], name)
      _ = cursor.skipValue()
    default: _ = cursor.skipValue()
    }
    fieldsByHash[hash] = fields.count
    fields.append(field)
  }

  private mutating func addCandidate(_ path: [String], _ name: String) -> Int? {
    guard let rank = KeyRank(name, isInner: false) else { return nil }
    all.append(Candidate(path: path, rank: rank))
    return all.count - 1
  }

  // MARK: Records

  /// Adds the values of a record. Returns false if it is of another kind than the first one, or no
  /// candidate is left.
  mutating func add(_ record: Range<Int>, _ head: RawSpan) -> Bool {
    for index in all.indices { all[index].current = nil }
    var cursor = JSONCursor(head, at: record.lowerBound)
    guard let kind = cursor.enter(), (kind == .array) == (columns != nil) else { return false }
    if kind == .array { readColumns(&cursor) } else { readMembers(&cursor) }
    var isAnyLeft = false
    for index in all.indices where all[index].isPresent {
      if let value = all[index].current {
        all[index].values.insert(value)
        isAnyLeft = true
      } else {
        all[index].isPresent = false
      }
    }
    return isAnyLeft
  }

  private mutating func readColumns(_ cursor: inout JSONCursor) {
    for field in fields.indices {
      guard cursor.nextElement() != nil else { return }
      read(field, &cursor)
    }
  }

  private mutating func readMembers(_ cursor: inout JSONCursor) {
    var next = 0
    while let key = cursor.nextKey() {
      // Records mostly have the keys of the first one, in its order.
      var field: Int?
      if next < fields.count, key.equals(fields[next].key, in: cursor.bytes) {
        field = next
      } else {
        field = self.field(key, in: cursor.bytes)
      }
      if let field {
        next = field + 1
        read(field, &cursor)
      } else {
        _ = cursor.skipValue()
      }
    }
  }

  private func field(_ key: JSONCursor.Text, in bytes: RawSpan) -> Int? {
    let hash =
      key.isEscaped
      ? Self.hash(key.decoded(in: bytes).span.bytes) : Self.hash(bytes.extracting(key.range))
    guard let field = fieldsByHash[hash], key.equals(fields[field].key, in: bytes) else {
      return nil
    }
    return field
  }

  /// Consumes the value of a field. The last value of a repeated key counts.
  private mutating func read(_ field: Int, _ cursor: inout JSONCursor) {
    for inner in fields[field].inner { all[inner.candidate].current = nil }
    if !fields[field].inner.isEmpty, cursor.nextKind() == .object {
      guard cursor.enter() != nil else { return }
      while let key = cursor.nextKey() {
        let found = fields[field].inner.first { key.equals($0.key, in: cursor.bytes) }
        if let found { readValue(found.candidate, &cursor) } else { _ = cursor.skipValue() }
      }
    } else if let candidate = fields[field].candidate {
      readValue(candidate, &cursor)
    } else {
      _ = cursor.skipValue()
    }
  }

  private mutating func readValue(_ candidate: Int, _ cursor: inout JSONCursor) {
    all[candidate].current = nil
    switch cursor.nextKind() {
    case .string:
      guard let text = cursor.nextString() else { return }
      if text.isEscaped {
        setText(candidate, text.decoded(in: cursor.bytes).span.bytes)
      } else {
        setText(candidate, cursor.bytes.extracting(text.range))
      }
    case .number:
      guard let range = cursor.skipValue() else { return }
      let digits = cursor.bytes.extracting(range)
      guard Self.isWhole(digits) else { return }
      all[candidate].isShortText = false
      all[candidate].current = Self.hash(digits)
    default: _ = cursor.skipValue()
    }
  }

  private mutating func setText(_ candidate: Int, _ text: borrowing RawSpan) {
    if text.byteCount > KeyCandidates.maximumTextBytes { all[candidate].isShortText = false }
    all[candidate].current = Self.hash(text)
  }

  private static func isWhole(_ digits: borrowing RawSpan) -> Bool {
    for offset in 0..<digits.byteCount {
      switch digits.byte(at: offset) {
      case 0x2E, 0x45, 0x65: return false
      default: continue
      }
    }
    return true
  }

  /// FNV-1a. The number 42 and the string "42" are the same key.
  private static func hash(_ bytes: borrowing RawSpan) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for offset in 0..<bytes.byteCount {
      hash = (hash ^ UInt64(bytes.byte(at: offset))) &* 0x100_0000_01B3
    }
    return hash
  }
}
