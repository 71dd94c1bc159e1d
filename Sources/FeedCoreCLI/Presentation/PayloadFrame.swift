import FeedCore
import JSONStream

/// The text before and after the records in an export.
struct PayloadFrame {
  let opening: [UInt8]
  let closing: [UInt8]

  /// The payload's own envelope if it had one, else the minimal form of the contract.
  init(_ feed: FeedDescription, _ schema: PayloadSchema, _ format: ExportFormat) {
    switch format {
    case .ndjson:
      opening = []
      closing = []
    case .json:
      let line: [UInt8] = [0x0A]
      if !feed.envelope.isEmpty, feed.envelope.indices.contains(feed.envelopeInsertion) {
        opening = Array(feed.envelope[..<feed.envelopeInsertion])
        closing = feed.envelope[feed.envelopeInsertion...] + line
      } else if let key = schema.recordKey {
        var start: [UInt8] = [0x7B]
        JSONText.appendString(key, to: &start)
        opening = start + [0x3A, 0x5B]
        closing = [0x5D, 0x7D] + line
      } else {
        opening = [0x5B]
        closing = [0x5D] + line
      }
    }
  }
}
