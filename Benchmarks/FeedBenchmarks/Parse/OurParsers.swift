import FeedCore

extension Contestant where Arena == Document {
  /// Reads and validates the document, and makes flat records of all fields of the contract in
  /// batches.
  static func parser(lanes: Int?) -> Contestant {
    Contestant(lanes == 1 ? "FeedCore, one lane" : "FeedCore, all lanes") { document in
      var parser = PayloadParser()
      if let lanes { parser.options.lanes = lanes }
      var records = 0
      let summary = try parser.forEachBatch(in: document.path) { records += $0.count }
      return Proof(bytes: summary.bytes, records: records)
    }
  }
}
