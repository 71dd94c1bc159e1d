/// The payload contracts of the five apps, and how to tell one from another.
public struct PayloadCatalog: Sendable {
  /// The schemas, in the order in which they are tried.
  public let schemas: [PayloadSchema]

  /// A catalog of schemas of one's own, or of the five and some more.
  public init(_ schemas: [PayloadSchema]) { self.schemas = schemas }

  /// The five contracts of the apps.
  public static let standard = PayloadCatalog(
    [.universities, .feed, .comments, .characters, .news])

  /// The schema of a kind.
  public func schema(named name: String) -> PayloadSchema? { schemas.first { $0.name == name } }

  /// The schema that a record fits best: that of which it has the largest part of the required
  /// keys, at least half.
  ///
  /// - Parameters:
  ///   - paths: the record's keys, and those of the objects in it.
  ///   - recordKey: the key under which the record was found, if it was.
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
