import CFeedCore
import FeedRecord

/// One of the records that were copied, to be read field by field.
///
/// Made of addresses alone, so that looking at a field takes no reference to anything. Nothing is
/// remembered between two looks, so that several threads may have theirs at a time.
///
/// Safety: the addresses are those of `RecordCopies`, whose owner forgets this before it has the next
/// record copied or takes other fields; until then the plan is kept there too.
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

  /// Its place in the feed.
  var position: Int { place.pointee.position }

  /// The index of a field; nil where there is none of this id.
  @inline(__always)
  func index(of id: UInt16) -> Int? {
    let fields = plan.fields
    for index in fields.indices where fields[index].id == id { return index }
    return nil
  }

  /// The index of the field of a name.
  func index(named name: UnsafeRawBufferPointer) -> Int? { plan.index(named: name) }

  /// Tells C of a field.
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

  /// Returns false where the field is absent or null.
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

  /// An element of a list; nil where the field is none, or has no element of this index.
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

  /// Where bytes of this record lie. What is empty has an address too: to C, NULL means absent.
  @inline(__always)
  private func address(of bytes: RawSpan) -> UnsafeRawPointer {
    bytes.withUnsafeBytes(\.baseAddress) ?? UnsafeRawPointer(self.bytes)
  }
}
