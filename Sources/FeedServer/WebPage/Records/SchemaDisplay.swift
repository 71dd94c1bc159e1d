import FeedAPI
import FeedPresentation
import FeedRecord
import FeedSchema
import URLEscaping

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records of any contract, shown by their fields. Labels are the contract's own names.
struct SchemaDisplay: RecordDisplay {
  private let schema: PayloadSchema
  private let image: PayloadSchema.Field?
  private let text: FeedText
  private let base: URL?
  /// The number of lines that a list shows below the key.
  private static let notes = 2

  init(_ schema: PayloadSchema, _ reader: PageReader) {
    self.schema = schema
    text = reader.text
    base = reader.base
    image = schema.fields.first { $0.isImage }
  }

  var style: ListStyle { image == nil ? .rows : .cards }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let key = try text(of: schema.keyField, in: record)
    var notes: [String] = []
    for field in schema.fields
    where field != schema.keyField && [.text, .textList].contains(field.kind) {
      guard notes.count < Self.notes else { break }
      if let text = try schema.text(of: field, in: record), !text.isEmpty { notes.append(text) }
    }
    return ListItem(key: key, title: key, notes: notes, picture: try picture(of: record, key))
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let key = try text(of: schema.keyField, in: record)
    var fields: [FieldView] = []
    for field in schema.fields where field != schema.keyField {
      let values = try values(of: field, in: record)
      if !values.isEmpty { fields.append(FieldView(label: field.name, values: values)) }
    }
    return RecordDetail(
      title: key, picture: try picture(of: record, key), fields: fields)
  }

  private func text(
    of field: PayloadSchema.Field, in record: borrowing RecordView
  ) throws(RecordError) -> String {
    try schema.text(of: field, in: record) ?? ""
  }

  private func values(
    of field: PayloadSchema.Field, in record: borrowing RecordView
  ) throws(RecordError) -> [LinkView] {
    if field.kind == .textList {
      return try record.texts(field.id)?.map { LinkView(WebLink($0)) } ?? []
    }
    guard let text = try schema.text(of: field, in: record) else { return [] }
    return [field.kind == .url ? LinkView(WebLink(text)) : LinkView(title: text)]
  }

  private func picture(
    of record: borrowing RecordView, _ title: String
  ) throws(RecordError) -> PictureView? {
    guard let image, let url = try record.url(image.id) else { return nil }
    return PictureView(url, relativeTo: base, alternative: text.imageAlternative(title))
  }
}
