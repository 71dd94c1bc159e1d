package import FeedRecord

/// Reads the records that a mapper creates.
package enum RecordReading {
  /// Reads a field as its own type, and throws every error.
  package static func read(
    _ record: borrowing RecordView, _ field: RecordField
  ) throws(RecordError) {
    switch field.type {
    case .text, .span: HostileReading.use(try record.text(field.id)?.utf8.count ?? 0)
    case .json:
      guard let location = record.location(of: field.id) else { return }
      HostileReading.use(try record.rawJSON(location)?.byteCount ?? 0)
    case .textList:
      guard let list = try record.textList(field.id) else { return }
      for index in 0..<list.count { HostileReading.use(try list.element(at: index).utf8.count) }
    case .boolean: HostileReading.use(try record.boolean(field.id) == true ? 1 : 0)
    case .integer: HostileReading.use(try record.integer(field.id) ?? 0)
    case .number: HostileReading.use((try record.number(field.id) ?? 0).bitPattern)
    case .date: HostileReading.use((try record.date(field.id) ?? 0).bitPattern)
    case .uuid: HostileReading.use(try record.uuid(field.id)?.high ?? 0)
    }
  }
}
