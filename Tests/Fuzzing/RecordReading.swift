import FeedRecord

/// Reads what a mapper has made.
enum RecordReading {
  /// Reads a field by its own type; an error is an error.
  static func read(_ record: borrowing RecordView, _ field: RecordField) throws(RecordError) {
    switch field.type {
    case .text: _ = try record.text(field.id)
    case .textList:
      guard let list = try record.textList(field.id) else { return }
      for index in 0..<list.count { _ = try list.element(at: index) }
    case .boolean: _ = try record.boolean(field.id)
    case .integer: _ = try record.integer(field.id)
    case .number: _ = try record.number(field.id)
    case .date: _ = try record.date(field.id)
    case .uuid: _ = try record.uuid(field.id)
    }
  }
}
