/// What a block's reader has to know of the layout of its records, counted once.
@usableFromInline
package struct BlockShape: Sendable, BitwiseCopyable {
  @usableFromInline let shape: RecordShape
  /// How many bytes a record with offsets of 8 bits has at most.
  @usableFromInline let maximumShortByteCount: Int
  /// Where the variable bytes begin, by the width of offsets.
  @usableFromInline let shortOffset: Int
  @usableFromInline let narrowOffset: Int
  @usableFromInline let wideOffset: Int

  package init(_ layout: RecordLayout) { self.init(layout.shape) }

  @inlinable
  init(_ shape: RecordShape) {
    self.shape = shape
    maximumShortByteCount = shape.maximumShortByteCount
    shortOffset = shape.variableOffset(.short)
    narrowOffset = shape.variableOffset(.narrow)
    wideOffset = shape.variableOffset(.wide)
  }
}
