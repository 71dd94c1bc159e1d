import TestSupport

/// Blocks, index blocks and records of any bytes.
enum RecordTarget: FuzzTarget {
  static func take(_ input: RawSpan) { HostileViews.take(input) }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] { HostileViews.corpus() }
}
