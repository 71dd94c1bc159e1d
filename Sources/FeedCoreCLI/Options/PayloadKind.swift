import ArgumentParser
import FeedCore

/// The value of `--kind`: one of the catalog's contracts, any JSON, or `auto` to detect the kind by
/// the first records.
enum PayloadKind: ExpressibleByArgument {
  case automatic
  case documents
  case named(PayloadSchema)

  init?(argument: String) {
    if argument == "auto" {
      self = .automatic
    } else if argument == PayloadSchema.documentKind {
      self = .documents
    } else if let schema = PayloadCatalog.standard.schema(named: argument) {
      self = .named(schema)
    } else {
      return nil
    }
  }

  /// How records are stored.
  var form: IngestOptions.Form {
    switch self {
    case .automatic: .automatic
    case .documents: .document
    case .named: .contract
    }
  }

  /// Nil if the contract is to be detected.
  var schema: PayloadSchema? {
    switch self {
    case .automatic, .documents: nil
    case .named(let schema): schema
    }
  }

  static var allValueStrings: [String] {
    ["auto"] + PayloadCatalog.standard.schemas.map(\.name) + [PayloadSchema.documentKind]
  }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  var defaultValueDescription: String { schema?.name ?? "auto" }
}

/// What `check` can validate: a payload, or any JSON text.
enum CheckKind: ExpressibleByArgument {
  case payload(PayloadKind)
  case json

  init?(argument: String) {
    if argument == "json" {
      self = .json
    } else if let kind = PayloadKind(argument: argument) {
      self = .payload(kind)
    } else {
      return nil
    }
  }

  /// The kind, if it is known before the file is read.
  var name: String? {
    switch self {
    case .payload(let kind): kind.schema?.name
    case .json: "json"
    }
  }

  static var allValueStrings: [String] { PayloadKind.allValueStrings }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  var defaultValueDescription: String { name ?? "auto" }
}
