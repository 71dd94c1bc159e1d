import ArgumentParser
import FeedTools

/// How `show` prints records.
enum ShowFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case json
  case ndjson
}

/// How `export` writes records.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case json
  case ndjson
}

extension SamplePayload.Kind: ExpressibleByArgument {}
extension SamplePayload.Format: ExpressibleByArgument {}
