/// One kind of record, drawn from a random generator.
protocol SampleRecords {
  init(style: SampleStyle)

  /// Appends one whole record, from its opening to its closing bracket.
  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64)
}
