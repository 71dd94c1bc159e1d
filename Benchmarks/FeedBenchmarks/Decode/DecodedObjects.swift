import Foundation

/// The objects that `JSONSerialization` makes of a document.
enum DecodedObjects {
  /// The records as dictionaries.
  static func all(in data: Data, of document: Document) throws -> [Any] {
    if document.isLines {
      return try data.split(separator: 0x0A).map { try JSONSerialization.jsonObject(with: $0) }
    }
    var value: Any? = try JSONSerialization.jsonObject(with: data)
    if let key = document.kind.recordsKey { value = (value as? [String: Any])?[key] }
    guard let records = value as? [Any] else {
      throw ContestError("JSONSerialization finds no records in \(document.path)")
    }
    return records
  }
}
