/// What the bytes of a record do not say themselves: the sizes of its layout and of its offsets.
///
/// With it a copy of the bytes is read as the record was.
@usableFromInline
package struct RecordForm: BitwiseCopyable, Sendable {
  @usableFromInline let shape: RecordShape
  @usableFromInline let width: OffsetWidth
  @usableFromInline let variableStart: Int

  @inlinable
  init(shape: RecordShape, width: OffsetWidth, variableStart: Int) {
    self.shape = shape
    self.width = width
    self.variableStart = variableStart
  }
}

extension RecordView {
  /// The form of this record.
  @inlinable
  package var form: RecordForm {
    RecordForm(shape: shape, width: width, variableStart: variableStart)
  }

  /// Views a copy of a record. It knows its fields by their locations alone, by no id.
  @inlinable @inline(__always) @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, form: RecordForm) throws(RecordError) {
    try self.init(
      bytes, table: FieldTable(RawSpan()), shape: form.shape, width: form.width,
      variableStart: form.variableStart)
  }

  /// Proves that the variable fields, whichever there are, lie in the record one behind the other.
  @inlinable
  package func checkBounds() throws(RecordError) {
    guard
      let end = bytes.lastOffset(ofOrdered: shape.endCount, from: shape.endsOffset, width),
      end <= bytes.byteCount - variableStart
    else { throw Self.damaged }
  }

  /// Proves that the value of a field can be read as its type, once its bounds are proved.
  @inlinable
  package func checkValue(_ field: FieldLocation) throws(RecordError) {
    switch field.rawType {
    case FieldType.textList.rawValue: try textList(field)?.checkBounds()
    case FieldType.boolean.rawValue: _ = try boolean(field)
    default: break
    }
  }
}

extension FieldType {
  /// Whether there are bytes, of the size that they must have, that are no value of this type.
  package var hasInvalidBytes: Bool { self == .textList || self == .boolean }
}

extension TextListView {
  /// Proves that the elements lie in the list one behind the other.
  @inlinable
  func checkBounds() throws(RecordError) {
    // The count stands before the end offsets, which are one less.
    guard
      let end = bytes.lastOffset(ofOrdered: max(count, 1) - 1, from: 1 << width.shift, width),
      end <= bytes.byteCount - elementsStart
    else { throw RecordView.damaged }
  }
}
