import CFeedCore
import FeedRecord

/// One of the records that were copied, to be read field by field.
///
/// Made of addresses alone, so that looking at a field takes no reference to anything.
///
/// Safety: the addresses are those of `RecordCopies`, whose owner forgets this before it has the next
/// record copied or takes other fields; until then the plan is kept there too.
struct RecordCopy {
  unowned(unsafe) let plan: FieldPlan
  private let fields: UnsafeBufferPointer<FieldPlan.Field>
  private let slots: UnsafePointer<RecordCopies.Slot>
  private let bytes: UnsafePointer<UInt8>
  private let elements: UnsafePointer<RecordCopies.Element>
  /// Its place in the feed.
  let position: Int

  @inline(__always)
  init(
    plan: FieldPlan, fields: UnsafeBufferPointer<FieldPlan.Field>,
    slots: UnsafePointer<RecordCopies.Slot>, bytes: UnsafePointer<UInt8>,
    elements: UnsafePointer<RecordCopies.Element>, position: Int
  ) {
    self.plan = plan
    self.fields = fields
    self.slots = slots
    self.bytes = bytes
    self.elements = elements
    self.position = position
  }

  /// The index of a field; nil where there is none of this id.
  @inline(__always)
  func index(of id: UInt16) -> Int? {
    for index in fields.indices where fields[index].id == id { return index }
    return nil
  }

  /// The index of the field of a name.
  func index(named name: UnsafeRawBufferPointer) -> Int? { plan.index(named: name) }

  /// Tells C of a field.
  @inline(__always)
  func fill(_ value: UnsafeMutablePointer<feedcore_value>, _ index: Int) -> feedcore_status {
    let field = fields[index]
    let slot = slots[index]
    guard slot.state != .absent else { return FEEDCORE_NONE }
    value.pointee.id = field.id
    value.pointee.type = field.type.rawValue
    guard slot.state == .present else {
      value.pointee.is_null = 1
      return FEEDCORE_OK
    }
    switch field.type {
    case .text, .uuid:
      value.pointee.bytes = UnsafeRawPointer(bytes + slot.start)
      value.pointee.length = slot.count
    case .textList: value.pointee.count = UInt32(clamping: slot.count)
    case .boolean, .integer: value.pointee.integer = Int64(bitPattern: slot.bits)
    case .number, .date: value.pointee.number = Double(bitPattern: slot.bits)
    }
    return FEEDCORE_OK
  }

  /// An element of a list; nil where the field is none, or has no element of this index.
  func element(_ index: Int, of field: Int) -> (start: UnsafeRawPointer, count: Int)? {
    let slot = slots[field]
    guard fields[field].type == .textList, slot.state == .present, index >= 0, index < slot.count
    else { return nil }
    let element = elements[slot.start + index]
    return (UnsafeRawPointer(bytes + element.start), element.count)
  }
}
