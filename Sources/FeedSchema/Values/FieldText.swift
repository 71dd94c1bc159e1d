public import FeedRecord

extension PayloadSchema {
  /// A field of a record as display text; nil if it is absent or null. Lists are joined by commas.
  /// Allocates a `String`.
  public func text(
    of field: Field, in record: borrowing RecordView
  ) throws(RecordError) -> String? {
    guard record.isPresent(field.id) else { return nil }
    switch field.kind {
    case .text, .url: return try record.text(field.id)
    case .uuid:
      return try record.uuid(field.id).map {
        String(decoding: UUIDText.text(high: $0.high, low: $0.low), as: UTF8.self)
      }
    case .date:
      return try record.date(field.id).map {
        String(decoding: DateText.text(referenceSeconds: $0) ?? [], as: UTF8.self)
      }
    case .integer: return try record.integer(field.id).map { "\($0)" }
    case .number: return try record.number(field.id).map { "\($0)" }
    case .boolean: return try record.boolean(field.id).map { "\($0)" }
    case .textList: return try elements(of: field, in: record)?.joined(separator: ", ")
    case .json: return field.path.isEmpty ? nil : try record.text(field.id)
    }
  }

  /// The elements of a list field.
  func elements(
    of field: Field, in record: borrowing RecordView
  ) throws(RecordError) -> [String]? {
    guard let list = try record.textList(field.id) else { return nil }
    var result: [String] = []
    for index in 0..<list.count { result.append(try list.element(at: index)) }
    return result
  }

  /// Whether a field has the value of a text, in any notation. For a list field, whether an element
  /// has it.
  public func matches(
    _ field: Field, _ wanted: String, in record: borrowing RecordView
  ) throws(RecordError) -> Bool {
    guard record.isPresent(field.id) else { return false }
    switch field.kind {
    // Compares bytes, as an index does: a `String` also equals other normalization forms.
    case .text, .url, .json:
      return try text(of: field, in: record)?.utf8.elementsEqual(wanted.utf8) ?? false
    case .boolean: return try text(of: field, in: record) == wanted
    case .uuid: return try text(of: field, in: record) == wanted.uppercased()
    case .date:
      let text = Array(wanted.utf8)
      guard let date = DateText.parse(text.span.bytes) else { return false }
      return try record.date(field.id) == date
    case .integer:
      guard let number = Int64(wanted) else { return false }
      return try record.integer(field.id) == number
    case .number:
      guard let number = Double(wanted) else { return false }
      return try record.number(field.id) == number
    case .textList:
      let elements = try elements(of: field, in: record) ?? []
      return elements.contains { $0.utf8.elementsEqual(wanted.utf8) }
    }
  }

  /// The bytes to look up a key; nil if the text cannot be a key of this schema.
  public func keyBytes(_ key: String) -> [UInt8]? { indexBytes(key, of: keyField) }

  /// The bytes to look up a value of an indexed field; nil if the field cannot have the value or
  /// cannot be indexed.
  public func indexBytes(_ value: String, of field: Field) -> [UInt8]? {
    switch field.kind {
    case .text, .url, .textList, .json: return Array(value.utf8)
    case .uuid:
      let text = Array(value.utf8)
      return UUIDText.parse(text.span.bytes).map { uuid in
        let bytes = UUIDText.bytes(high: uuid.high, low: uuid.low)
        return bytes.indices.map { bytes[$0] }
      }
    case .integer:
      return Int64(value).map { number in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
      }
    case .date, .number, .boolean: return nil
    }
  }
}
