import FeedCore
import Foundation

extension Contestant where Arena == Document {
  /// Reads the whole file. `JSONDecoder` decodes an array of the same structs as FeedCore, or
  /// NDJSON line by line.
  static var jsonDecoder: Contestant {
    Contestant("JSONDecoder") { document in
      let data = try Data(contentsOf: URL(fileURLWithPath: document.path))
      return Proof(bytes: data.count, records: try DecodedModels.count(in: data, of: document))
    }
  }

  /// Reads the whole file. `JSONSerialization` makes dictionaries, arrays and strings of it, line
  /// by line for NDJSON.
  static var jsonSerialization: Contestant {
    Contestant("JSONSerialization") { document in
      let data = try Data(contentsOf: URL(fileURLWithPath: document.path))
      return Proof(bytes: data.count, records: try DecodedObjects.all(in: data, of: document).count)
    }
  }
}
