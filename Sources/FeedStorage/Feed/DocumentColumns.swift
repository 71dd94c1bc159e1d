package import FeedRecord
import FeedSchema
package import JSONStream

/// The columns in which documents are displayed: the key, and the scalars that most records have.
package struct DocumentColumns: Sendable, Hashable {
  /// A path to a value, and how it is shown.
  package struct Column: Sendable, Hashable {
    package let title: String
    package let path: JSONPath
    /// Whether all values are numbers.
    package let isNumber: Bool

    /// The path as sort keys and conditions write it; nil for the record itself.
    package var pathText: String? {
      if path.steps.isEmpty { return nil }
      // A title may begin with the sign of a descending order, or read like an operator.
      let isPlain = title.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x5F || byte == 0x2E || byte >= 0x80
      }
      return isPlain || path.text.utf8.first != UInt8(ascii: "/") ? title : path.text
    }
  }

  /// The maximum number of columns besides the key.
  package static let maximumCount = 6

  package let columns: [Column]

  private init(_ columns: [Column]) { self.columns = columns }

  /// The scalars that most records have, in the order of the documents. If records have them
  /// equally often, those nearest to the root are preferred.
  ///
  /// - Parameter schema: that of the documents; the field of their key is always the first column
  init(_ statistics: DocumentStatistics, of schema: PayloadSchema) {
    let key = schema.keyField.path
    var found: [Candidate] = []
    Self.collect(statistics.root, at: [], &found)
    let ranked = found.indices.sorted { left, right in
      let (first, second) = (found[left], found[right])
      if (first.path == key) != (second.path == key) { return first.path == key }
      if first.count != second.count { return first.count > second.count }
      if first.path.count != second.path.count { return first.path.count < second.path.count }
      return left < right
    }
    let chosen = ranked.prefix(Self.maximumCount)
    let ordered = chosen.prefix(1).filter { found[$0].path == key }
    let rest = chosen.filter { found[$0].path != key }.sorted()
    columns = (ordered + rest).map { index in
      Column(
        title: PayloadSchema.pathText(found[index].path), path: JSONPath(keys: found[index].path),
        isNumber: found[index].isNumber)
    }
  }

  /// A path whose values are mostly scalars.
  private struct Candidate {
    let path: [String]
    /// The number of its scalars.
    let count: Int
    let isNumber: Bool
  }

  private static func collect(
    _ branch: DocumentStatistics.Branch, at path: [String], _ found: inout [Candidate]
  ) {
    // The keys of a map are data, and differ from record to record.
    guard !branch.isMap else { return }
    for (key, member) in branch.members {
      let node = member.node
      let numbers = node.tally(.integer).count + node.tally(.number).count
      let scalars = numbers + node.tally(.string).count + node.tally(.boolean).count
      let path = path + [key]
      if scalars > 0, scalars * 2 >= node.valueCount {
        found.append(
          Candidate(
            path: path, count: scalars,
            isNumber: numbers + node.tally(.null).count == node.valueCount))
      }
      collect(member, at: path, &found)
    }
  }

  /// The key, and the first scalars of a record; the record itself if it has none.
  ///
  /// - Parameter schema: that of the documents
  init(firstRecord text: RawSpan, of schema: PayloadSchema) {
    var columns: [Column] = []
    let key = schema.keyField.path
    if !key.isEmpty {
      columns.append(
        Column(
          title: PayloadSchema.pathText(key), path: JSONPath(keys: key), isNumber: false))
    }
    var cursor = JSONCursor(text)
    switch cursor.enter() {
    case .object:
      while columns.count < Self.maximumCount, let key = cursor.nextKey() {
        let isShown = cursor.nextKind()?.isContainer == false
        guard cursor.skipValue() != nil else { break }
        let name = key.string(in: text)
        if isShown, !columns.contains(where: { $0.path == JSONPath(keys: [name]) }) {
          columns.append(
            Column(
              title: PayloadSchema.pathText([name]), path: JSONPath(keys: [name]),
              isNumber: false))
        }
      }
    case .array:
      var index = 0
      while index < Self.maximumCount, cursor.nextElement() != nil {
        guard cursor.skipValue() != nil else { break }
        if let path = try? JSONPath(pointer: "/\(index)") {
          columns.append(Column(title: "[\(index)]", path: path, isNumber: false))
        }
        index += 1
      }
    default: break
    }
    self.columns =
      columns.isEmpty
      ? [Column(title: "record", path: JSONPath(keys: []), isNumber: false)] : columns
  }

  /// The same columns, with columns for further paths inserted at a position. At most
  /// ``maximumCount`` columns are added, and none that already exists.
  ///
  /// - Parameters:
  ///   - paths: paths to one value each; others are ignored
  ///   - place: the index of the first added column
  ///   - numbers: the paths whose values are all numbers
  package func adding(_ paths: [JSONPath], at place: Int, numbers: Set<String>) -> DocumentColumns {
    var added: [Column] = []
    for path in paths where !path.steps.isEmpty && !path.hasAnyElement {
      let keys = try? path.objectKeys()
      let isShown = (columns + added).contains { column in
        column.title == path.text || keys != nil && (try? column.path.objectKeys()) == keys
      }
      guard !isShown, added.count < Self.maximumCount else { continue }
      let title = keys.map(PayloadSchema.pathText) ?? path.text
      added.append(Column(title: title, path: path, isNumber: numbers.contains(title)))
    }
    var all = columns
    all.insert(contentsOf: added, at: min(place, all.count))
    return DocumentColumns(all)
  }

  static let none = DocumentColumns([])
}

extension Feed {
  /// The columns for its documents.
  ///
  /// - Throws: `damaged`
  package func documentColumns() throws(StoreError) -> DocumentColumns {
    if let known = description.storedSchema?.columns, !known.columns.isEmpty { return known }
    var columns = DocumentColumns.none
    try scan { record, _ throws(StoreError) in
      columns = try withJSON(of: record) { text throws(StoreError) in
        DocumentColumns(firstRecord: text, of: schema)
      }
      return false
    }
    return columns
  }

  /// The title of the key if the first column does not have it.
  package func keyTitle(besides columns: DocumentColumns) -> String? {
    let path = schema.keyField.path
    let hasKey = !path.isEmpty && columns.columns.first?.path == JSONPath(keys: path)
    return hasKey ? nil : keyName
  }

  /// The values of a record in columns as text; nil for null and for a missing value.
  package func cells(
    of record: borrowing RecordView, in columns: DocumentColumns
  ) throws(StoreError) -> [String?] {
    try withJSON(of: record) { text throws(StoreError) in
      var cells: [String?] = []
      for column in columns.columns {
        // A path without `[]` cannot fail.
        let range = (try? column.path.find(in: text)) ?? nil
        cells.append(range.flatMap { Self.text(ofValue: text.extracting($0)) })
      }
      return cells
    }
  }

  /// A JSON value as text for display: a string without quotes and escapes, null as nil, and any
  /// other value as its JSON text.
  package static func text(ofValue value: RawSpan) -> String? {
    var cursor = JSONCursor(value)
    switch cursor.nextKind() {
    case .null, nil: return nil
    case .string: return cursor.nextString()?.string(in: value)
    default: return value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }
}
