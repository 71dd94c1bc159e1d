/// The layout values that a block view needs, computed once.
@usableFromInline
package struct BlockShape: Sendable, BitwiseCopyable {
  @usableFromInline let shape: RecordShape
  /// The maximum size of a record with 8-bit offsets.
  @usableFromInline let maximumShortByteCount: Int
  /// The start of the variable bytes, by offset width.
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
