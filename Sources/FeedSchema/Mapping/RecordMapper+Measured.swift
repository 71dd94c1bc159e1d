import CFeedScan
@_spi(Ingest) import FeedRecord
@_spi(Records) import JSONStream
import URLEscaping

// Encodes records too long for 16-bit offsets, and layouts of very many fields. It first measures
// the size of all variable bytes.
extension RecordMapper {
  mutating func encodeMeasured(
    _ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>
  ) -> Bool {
    guard Self.hasSoundParents(entries, after: fields.count) else { return false }
    var size = 0
    for field in fields.indices { size += self.size(field, entries[field], tape) }
    encoder.begin(variableByteCount: size)
    for field in fields.indices where !set(field, entries[field], tape) {
      encoder.cancel()
      return false
    }
    let hash = keyHash(tape, entries)
    encoder.end(keyHash: hash)
    noteOddURLs(tape, entries)
    return true
  }

  private mutating func noteOddURLs(
    _ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>
  ) {
    for field in fields.indices
    where fields[field].kind == .url && !fields[field].isRequired
      && entries[field].kind == .string
    {
      let shape = URLText.shape(of: tape.bytes(of: entries[field]))
      if shape != .absolute { oddURLs.append(OddURL(record: encoder.count - 1, shape: shape)) }
    }
  }

  /// The size of a value in the variable bytes.
  func size(_ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape) -> Int {
    switch (fields[field].kind, entry.kind) {
    case (.text, .string), (.url, .string): return Int(entry.length)
    case (.textList, .list):
      let elements = tape.elements(of: entry)
      var bytes = RecordEncoder.listOverhead(count: elements.count)
      for index in elements.indices { bytes += Int(elements[index].length) }
      return bytes
    default: return 0
    }
  }

  /// Sets a field; returns false if the value does not fit it.
  mutating func set(_ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape) -> Bool {
    switch (fields[field].kind, entry.kind) {
    case (_, .absent): return !fields[field].isRequired
    case (_, .null):
      guard !fields[field].isRequired else { return false }
      encoder.setNull(field)
    case (.text, .string): encoder.setText(field, tape.bytes(of: entry))
    case (.textList, .list): return setList(field, entry, tape)
    case (.url, .string):
      // The apps ignore an optional image that cannot be loaded, so its text is kept.
      guard !fields[field].isRequired || URLText.isReadable(tape.bytes(of: entry)) else {
        return false
      }
      encoder.setText(field, tape.bytes(of: entry))
    default:
      switch FixedValue(fields[field].kind, entry, tape) {
      case .word(let word): encoder.setWord(field, word)
      case .boolean(let value): encoder.setBoolean(field, value)
      case .uuid(let high, let low): encoder.setUUID(field, high: high, low: low)
      case nil: return setCommonDate(field, entry, tape)
      }
    }
    return true
  }

  // A date in another form, if such dates are accepted. Other text is absent, if the field allows
  // it.
  private mutating func setCommonDate(
    _ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> Bool {
    guard takesCommonDates, fields[field].kind == .date, entry.kind == .string else { return false }
    guard let seconds = CommonDateText.parse(tape.bytes(of: entry)) else {
      return !fields[field].isRequired
    }
    encoder.setWord(field, seconds.bitPattern)
    return true
  }

  private mutating func setList(
    _ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> Bool {
    let elements = tape.elements(of: entry)
    for index in elements.indices where elements[index].kind != .string { return false }
    encoder.beginList(field, count: elements.count)
    for index in elements.indices { encoder.appendElement(tape.bytes(of: elements[index])) }
    return true
  }
}
