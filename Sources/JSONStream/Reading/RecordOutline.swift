/// The keys of one record, which determine its kind.
package enum RecordOutline {
  /// The paths of the record's keys and of those one level below them; nil if the text is not a
  /// JSON object, or one of more levels than it may have. Costs one traced parse of the record.
  package static func paths(of record: borrowing RawSpan, depth: Int) -> Set<[String]>? {
    // The other limits apply when the record is validated; its kind does not depend on them.
    var limits = JSONLimits()
    limits.depth = depth
    limits.stringBytes = record.byteCount
    limits.keyBytes = record.byteCount
    limits.numberBytes = record.byteCount
    let parser = TracingParser(limits: limits)
    parser.trace.outline = []
    let isJSON = record.withUnsafeBytes { bytes in
      do throws(TracingParser.Fault) {
        try parser.feed(bytes.assumingMemoryBound(to: UInt8.self), at: 0)
        try parser.finish(at: bytes.count)
        return bytes.first == 0x7B
      } catch {
        return false
      }
    }
    return isJSON ? parser.trace.outline : nil
  }
}
