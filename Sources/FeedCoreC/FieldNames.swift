import FeedSchema

/// The names of fields for C: those of the known contracts. They are never freed.
enum FieldNames {
  private static let texts: [String: CText] = {
    let names = Set(PayloadCatalog.standard.schemas.flatMap { $0.fields.map(\.name) })
    return Dictionary(uniqueKeysWithValues: names.map { name in (name, CText(name)) })
  }()

  /// Nil for a name that no known contract has.
  static func text(_ name: String) -> CText? { texts[name] }
}
