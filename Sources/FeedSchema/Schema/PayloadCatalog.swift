import FeedRecord

/// The payload contracts of the five apps, and the detection of a record's contract.
public struct PayloadCatalog: Hashable, Sendable {
  /// The schemas, in the order in which they are tried.
  public let schemas: [PayloadSchema]

  /// Creates a catalog of custom schemas, which may include the five contracts.
  public init(_ schemas: [PayloadSchema]) { self.schemas = schemas }

  /// The five contracts of the apps.
  public static let standard = PayloadCatalog(
    [.universities, .feed, .comments, .characters, .news])

  /// The schema of a kind.
  public func schema(named name: String) -> PayloadSchema? { schemas.first { $0.name == name } }

  /// The schema that fits a record best: the one of whose required keys the record has the largest
  /// share, at least half.
  ///
  /// - Parameters:
  ///   - paths: the keys of the record and of the objects in it.
  ///   - recordKey: the key that holds the records, if there is one.
  func schema(fitting paths: Set<[String]>, recordKey: String?) -> PayloadSchema? {
    var best: (schema: PayloadSchema, share: Double, count: Int)?
    for schema in schemas where recordKey == nil || schema.recordKey == recordKey {
      let required = schema.fields.filter(\.isRequired)
      let present = required.count { paths.contains($0.path) }
      let share = Double(present) / Double(max(required.count, 1))
      let count = schema.fields.count { paths.contains($0.path) }
      guard share >= 0.5 else { continue }
      if let best, (best.share, best.count) >= (share, count) { continue }
      best = (schema, share, count)
    }
    return best?.schema
  }
}

extension PayloadSchema {
  /// The contract of an app by which these records can be read, as its models read them; nil for
  /// records of any other contract. Documents are converted for that.
  package var preset: PayloadSchema? {
    PayloadCatalog.standard.schemas.first { preset in
      name == preset.name && (document?.conforms ?? layout.canBeRead(as: preset.layout))
    }
  }
}
