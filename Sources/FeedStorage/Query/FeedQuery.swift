package import FeedSchema
package import JSONStream

/// A query of a feed: which records, in which order, and how many of them.
///
/// ```swift
/// let query = FeedQuery(
///   where: ["type = PushEvent", "payload.size >= 10"], sort: ["-payload.size"], limit: 3)
/// try feed.forEachRecord(matching: query) { record, position in … }
/// ```
///
/// A condition is a path, an operator and a value. A path is written as `a.b`, `a[0]`, `a[].b` for any
/// element, `"a.b"` for a key with a dot, or as a JSON Pointer (RFC 6901) if it begins with a slash.
///
/// | operator | true if the value |
/// |---|---|
/// | `=` `in a,b` | is equal; `1` equals `1.0` and the string `"1"`; `"1"`, `'1'` only the string |
/// | `<` `<=` `>` `>=` | is a number in that order, or for other operands a string by code points |
/// | `~` | is a string that contains the operand, ignoring case |
/// | `exists` | is present, whatever it is |
///
/// Each element of an array is a value. `!=`, `!~` and `!exists` are true where `=`, `~` and
/// `exists` are not. Numbers are compared without rounding. Dates with a time (RFC 3339) are
/// compared as instants, to a microsecond.
public struct FeedQuery: Sendable, Hashable {
  /// The conditions, all of which a record must meet.
  public var conditions: [String]
  /// The paths by whose values records are sorted, the most significant first; a minus sign before
  /// a path reverses the order. Records with equal values, and all records if there is no path, are
  /// in the order of the feed.
  ///
  /// The order is that of jq: no value, `null`, `false`, `true`, numbers, strings, arrays, objects.
  /// All arrays are equal, and so are all objects.
  public var sort: [String]
  /// The number of records to skip first.
  public var offset: Int
  /// The maximum number of records; nil for all, which requires an empty `sort`.
  public var limit: Int?

  /// - Parameters:
  ///   - conditions: the conditions, all of which a record must meet
  ///   - sort: the paths by whose values records are sorted; a minus sign reverses the order
  ///   - offset: the number of records to skip first
  ///   - limit: the maximum number of records; nil for all
  public init(
    where conditions: [String] = [], sort: [String] = [], offset: Int = 0, limit: Int? = nil
  ) {
    self.conditions = conditions
    self.sort = sort
    self.offset = offset
    self.limit = limit
  }
}

/// A query that was compiled for one feed.
package struct CompiledQuery: Sendable {
  /// How the records are found.
  package enum Plan: Sendable {
    /// All records match.
    case all
    /// An index contains all records that can match. `keys` omits values that no record can have.
    case index(field: UInt16, path: String, keys: [[UInt8]])
    /// Every record is read.
    case scan

    /// A description for people.
    package var text: String {
      switch self {
      case .all: "all records"
      case .index(_, let path, _): "index of \(path)"
      case .scan: "scan"
      }
    }
  }

  /// The maximum number of records that are sorted at once.
  package static let maximumSorted = 100_000
  package static let maximumConditions = 32
  package static let tooManyConditions = QueryError(
    "where", "at most \(maximumConditions) conditions are possible")
  /// The maximum number of paths to sort by, each of which is searched for in every record.
  package static let maximumSortKeys = 32

  package let conditions: [QueryCondition]
  package let sort: [SortKey]
  package let offset: Int
  package let limit: Int?
  package let plan: Plan

  /// The paths of conditions that are true of records without a value.
  package var negatedPaths: [JSONPath] { conditions.filter(\.isNegated).map(\.path) }

  /// - Throws: `QueryError`
  package init(_ query: FeedQuery, for feed: Feed) throws(QueryError) {
    guard query.conditions.count <= Self.maximumConditions else { throw Self.tooManyConditions }
    guard query.sort.count <= Self.maximumSortKeys else {
      throw QueryError("sort", "at most \(Self.maximumSortKeys) paths are possible")
    }
    var conditions: [QueryCondition] = []
    for text in query.conditions {
      conditions.append(feed.schema.adapted(try QueryCondition(text)))
    }
    var sort: [SortKey] = []
    for text in query.sort { sort.append(try SortKey(text)) }
    for path in conditions.map(\.path) + sort.map(\.path) { try feed.checkField(of: path) }
    guard query.offset >= 0, query.limit.map({ $0 >= 0 }) ?? true else {
      throw QueryError("\(query.offset)", "an offset and a limit are not negative")
    }
    if !sort.isEmpty {
      let end = query.limit.map { $0.addingReportingOverflow(query.offset) }
      guard let end, !end.overflow, end.partialValue <= Self.maximumSorted else {
        throw QueryError(
          query.sort.joined(separator: " "),
          "at most \(Self.maximumSorted) records are sorted; set a limit")
      }
    }
    self.conditions = conditions
    self.sort = sort
    offset = query.offset
    limit = query.limit
    plan = Self.plan(conditions, feed)
  }

  private static func plan(_ conditions: [QueryCondition], _ feed: Feed) -> Plan {
    if conditions.isEmpty { return .all }
    for condition in conditions {
      guard !condition.isNegated, case .isOneOf(let literals) = condition.test,
        let keys = try? condition.path.objectKeys(),
        let field = feed.indexedField(keys), let bytes = feed.keys(of: literals, in: field)
      else { continue }
      return .index(field: field.id, path: field.pathText, keys: bytes)
    }
    return .scan
  }
}

extension Feed {
  /// Checks that records can have values at a path: a contract names all fields of its records.
  ///
  /// - Throws: `QueryError` that lists the fields
  package func checkField(of path: JSONPath) throws(QueryError) {
    guard schema.document == nil, let first = path.steps.first else { return }
    let key: [UInt8]? =
      switch first {
      case .member(let key), .token(let key, _): key
      case .element, .anyElement: nil
      }
    if let key, schema.fields.contains(where: { $0.path.first?.utf8.elementsEqual(key) ?? false }) {
      return
    }
    let names = schema.fields.map(\.pathText).joined(separator: ", ")
    throw QueryError(path.text, "\(schema.name) have no such field; their fields are \(names)")
  }

  /// Checks that records can have values in columns.
  ///
  /// - Throws: `QueryError` that lists the fields
  package func checkFields(_ fields: QueryFields) throws(QueryError) {
    for column in fields.columns { try checkField(of: column.path) }
  }

  /// The field at a path if its index has every value that a condition can find; nil if there is
  /// none.
  fileprivate func indexedField(_ path: [String]) -> PayloadSchema.Field? {
    let indexed = description.indexedFields + [description.keyField]
    guard !path.isEmpty,
      let field = schema.fields.first(where: { $0.path == path && indexed.contains($0.id) })
    else { return nil }
    // The index of a field of documents does not have the elements of arrays.
    if description.storedSchema?.arrayFields.contains(field.id) ?? true { return nil }
    return field
  }

  /// The index keys of the values; nil if the index may also have the values under other keys.
  fileprivate func keys(
    of literals: [QueryLiteral], in field: PayloadSchema.Field
  ) -> [[UInt8]]? {
    var keys: [[UInt8]] = []
    for literal in literals {
      // The same instant may be written differently, and no index has a null.
      guard literal.instant == nil, !literal.mayBeNull else { return nil }
      guard schema.document != nil else {
        let text = String(decoding: literal.bytes, as: UTF8.self)
        if let bytes = schema.indexBytes(text, of: field) { keys.append(bytes) }
        // The operand may be an integer in another notation, such as `1.0`.
        if field.kind == .integer, literal.number != nil, Int64(text) == nil { return nil }
        continue
      }
      // A longer value has no span.
      guard literal.bytes.count < 60_000 else { return nil }
      keys += literal.keys
    }
    return keys
  }
}

extension PayloadSchema {
  /// The condition with its values written as in the records of a contract: UUIDs in upper case.
  fileprivate func adapted(_ condition: QueryCondition) -> QueryCondition {
    guard document == nil, let path = try? condition.path.objectKeys(),
      let field = fields.first(where: { $0.path == path }), field.kind == .uuid
    else { return condition }
    return condition.comparing { $0.uppercased() }
  }
}
