import FeedCore
import Foundation

extension Contestant where Arena == Document {
  /// Reads the whole file and has `JSONDecoder` make an array of the same structs that FeedCore's
  /// models are; a line at a time where it is NDJSON.
  static var jsonDecoder: Contestant {
    Contestant("JSONDecoder") { document in
      let data = try Data(contentsOf: URL(fileURLWithPath: document.path))
      return Proof(bytes: data.count, records: try DecodedModels.count(in: data, of: document))
    }
  }

  /// Reads the whole file and has `JSONSerialization` make dictionaries, arrays and strings of it;
  /// a line at a time where it is NDJSON.
  static var jsonSerialization: Contestant {
    Contestant("JSONSerialization") { document in
      let data = try Data(contentsOf: URL(fileURLWithPath: document.path))
      return Proof(bytes: data.count, records: try DecodedObjects.all(in: data, of: document).count)
    }
  }
}
