import TestSupport

/// Reads any bytes as blocks, index blocks and records.
enum RecordTarget: FuzzTarget {
  static func take(_ input: RawSpan) { HostileViews.take(input) }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] { HostileViews.corpus() }
}
