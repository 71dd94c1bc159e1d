import ArgumentParser
import FeedCore

/// The value of `--where`: a field and its required text.
struct FieldCondition: ExpressibleByArgument {
  let fieldName: String
  let value: String

  init?(argument: String) {
    // Searches scalars: the sign and a following combining accent are one `Character`.
    let scalars = argument.unicodeScalars
    guard let equals = scalars.firstIndex(of: "="), equals > scalars.startIndex else { return nil }
    fieldName = String(scalars[..<equals])
    value = String(scalars[scalars.index(after: equals)...])
  }

  /// The field in a schema.
  func field(in schema: PayloadSchema) throws(Failure) -> PayloadSchema.Field {
    guard let field = schema.field(named: fieldName) else {
      let names = schema.fields.map(\.name).joined(separator: ", ")
      throw Failure(
        .usage, "\(schema.name) have no field \(fieldName); their fields are \(names)")
    }
    return field
  }
}
