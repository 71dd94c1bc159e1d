/// The properties of a record that its bytes do not contain: the sizes of its layout and of its
/// offsets.
///
/// With them, a copy of the bytes can be read like the record itself.
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

  /// Views a copy of a record. Fields are found by location only, not by id.
  @inlinable @inline(__always) @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, form: RecordForm) throws(RecordError) {
    try self.init(
      bytes, table: FieldTable(RawSpan()), shape: form.shape, width: form.width,
      variableStart: form.variableStart)
  }

  /// Verifies that the variable fields lie in the record in order.
  @inlinable
  package func checkBounds() throws(RecordError) {
    guard
      let end = bytes.lastOffset(ofOrdered: shape.endCount, from: shape.endsOffset, width),
      end <= bytes.byteCount - variableStart
    else { throw Self.damaged }
  }

  /// Verifies that the value of a field is readable as its type, after `checkBounds`.
  @inlinable
  package func checkValue(_ field: FieldLocation) throws(RecordError) {
    switch field.rawType {
    case FieldType.textList.rawValue: try textList(field)?.checkBounds()
    case FieldType.boolean.rawValue: _ = try boolean(field)
    case FieldType.span.rawValue: _ = try rawText(field)
    default: break
    }
  }
}

extension FieldType {
  /// Whether bytes of the right size can be an invalid value of this type.
  package var hasInvalidBytes: Bool {
    self == .textList || self == .boolean || self == .span
  }
}

extension TextListView {
  /// Verifies that the elements lie in the list in order.
  @inlinable
  func checkBounds() throws(RecordError) {
    // The count precedes the end offsets. There is one fewer end offset than elements.
    guard
      let end = bytes.lastOffset(ofOrdered: max(count, 1) - 1, from: 1 << width.shift, width),
      end <= bytes.byteCount - elementsStart
    else { throw RecordView.damaged }
  }
}
