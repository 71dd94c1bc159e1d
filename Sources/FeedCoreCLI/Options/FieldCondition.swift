import ArgumentParser
import FeedCore

/// The value of `--where`: a field and the text that it must have.
struct FieldCondition: ExpressibleByArgument {
  let fieldName: String
  let value: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
      return nil
    }
    fieldName = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
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
