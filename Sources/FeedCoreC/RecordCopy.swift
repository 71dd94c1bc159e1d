import CFeedCore
import FeedRecord

/// One of the copied records, for reading its fields.
///
/// It consists of addresses only, so reading a field needs no reference counting. It caches nothing
/// between two reads, so several threads may read concurrently.
///
/// Safety: the addresses are those of `RecordCopies`. Its owner discards this value before the next
/// record is copied or the fields change. Until then the plan is retained there too.
struct RecordCopy {
  unowned(unsafe) let plan: FieldPlan
  private let bytes: UnsafePointer<UInt8>
  private let place: UnsafePointer<RecordCopies.Place>

  @inline(__always)
  init(plan: FieldPlan, bytes: UnsafePointer<UInt8>, place: UnsafePointer<RecordCopies.Place>) {
    self.plan = plan
    self.bytes = bytes
    self.place = place
  }

  /// Its position in the feed.
  var position: Int { place.pointee.position }

  /// The index of a field; nil if there is none with this id.
  @inline(__always)
  func index(of id: UInt16) -> Int? {
    let fields = plan.fields
    for index in fields.indices where fields[index].id == id { return index }
    return nil
  }

  /// The index of the field with a name.
  func index(named name: UnsafeRawBufferPointer) -> Int? { plan.index(named: name) }

  /// Passes a field's value to C.
  @inline(__always)
  func fill(_ value: UnsafeMutablePointer<feedcore_value>, _ index: Int) -> feedcore_status {
    let field = plan.fields[index]
    let content = content
    do throws(RecordError) {
      let record = try RecordView(content.bytes, form: place.pointee.form)
      if try !fill(value, field, record) {
        guard record.isNull(field.location) else { return FEEDCORE_NONE }
        value.pointee.is_null = 1
      }
    } catch {
      return FEEDCORE_DAMAGED
    }
    value.pointee.id = field.id
    value.pointee.type = field.type.rawValue
    return FEEDCORE_OK
  }

  /// Returns false if the field is absent or null.
  @inline(__always)
  private func fill(
    _ value: UnsafeMutablePointer<feedcore_value>, _ field: FieldPlan.Field, _ record: RecordView
  ) throws(RecordError) -> Bool {
    let location = field.location
    switch field.type {
    case .text:
      guard let text = try record.variableBytes(location, .text) else { return false }
      lend(text, value)
    case .textList:
      guard let list = try record.textList(location) else { return false }
      value.pointee.count = UInt32(clamping: list.count)
    case .boolean:
      guard let boolean = try record.boolean(location) else { return false }
      value.pointee.integer = boolean ? 1 : 0
    case .integer:
      guard let integer = try record.integer(location) else { return false }
      value.pointee.integer = integer
    case .number:
      guard let number = try record.number(location) else { return false }
      value.pointee.number = number
    case .date:
      guard let date = try record.date(location) else { return false }
      value.pointee.number = date
    case .uuid:
      guard let uuid = try record.rawUUID(location) else { return false }
      lend(uuid, value)
    }
    return true
  }

  /// An element of a list; nil if the field is not a list or has no element at this index.
  func element(_ index: Int, of field: Int) -> (start: UnsafeRawPointer, count: Int)? {
    let field = plan.fields[field]
    guard field.type == .textList,
      let record = try? RecordView(content.bytes, form: place.pointee.form),
      let list = try? record.textList(field.location), index >= 0, index < list.count,
      let element = try? list.rawElement(at: index)
    else { return nil }
    return (address(of: element), element.byteCount)
  }

  // MARK: Bytes

  private var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + place.pointee.start, count: place.pointee.byteCount)
  }

  @inline(__always)
  private func lend(_ bytes: RawSpan, _ value: UnsafeMutablePointer<feedcore_value>) {
    value.pointee.bytes = address(of: bytes)
    value.pointee.length = bytes.byteCount
  }

  /// The address of bytes of this record. Empty values have an address too: to C, NULL means
  /// absent.
  @inline(__always)
  private func address(of bytes: RawSpan) -> UnsafeRawPointer {
    bytes.withUnsafeBytes(\.baseAddress) ?? UnsafeRawPointer(self.bytes)
  }
}
