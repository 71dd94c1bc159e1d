import CFeedCore
import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records that are copied out of the store into contiguous memory.
///
/// Bytes of the map must not be used after their snapshot, and a snapshot must not be held between
/// two calls of C. A record's fields are validated while it is copied. Damage is therefore reported
/// when moving to a record and not when reading its fields.
///
/// Safety: `bytes` and `locations` are memory of this object, reserved before each write. They
/// move only in `append`, which invalidates pointers into it.
final class RecordCopies {
  /// The location of one record.
  struct RecordLocation: BitwiseCopyable {
    let start: Int
    let byteCount: Int
    let form: RecordForm
    /// Its position in the feed.
    let position: Int
  }

  private var plan: FieldPlan
  private(set) var count = 0
  private(set) var byteCount = 0
  private var bytes = GrowingMemory<UInt8>(capacity: 4096)
  private var locations = GrowingMemory<RecordLocation>(capacity: 16)

  init(_ plan: FieldPlan) { self.plan = plan }

  deinit {
    bytes.deallocate()
    locations.deallocate()
  }

  /// Removes the records, and uses the fields of a plan for the next ones.
  func clear(_ plan: FieldPlan) {
    self.plan = plan
    clear()
  }

  /// Removes the records.
  @inline(__always)
  func clear() {
    count = 0
    byteCount = 0
  }

  /// The record at an index below `count`; valid until the next record is appended or all are
  /// removed.
  @inline(__always)
  func record(_ index: Int) -> RecordCopy {
    RecordCopy(plan: plan, bytes: bytes.start, location: locations.start + index)
  }

  /// Copies a record of the plan's feed.
  func append(_ record: RecordView, at position: Int) throws(StoreError) {
    do throws(RecordError) {
      try record.checkBounds()
      for location in plan.checked { try record.checkValue(location) }
    } catch {
      throw StoreError(error)
    }
    let (start, size) = (byteCount, record.bytes.byteCount)
    if start + size > bytes.capacity { bytes = bytes.grown(to: start + size, keeping: start) }
    record.bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { memcpy(bytes.start + start, base, size) }
    }
    if count == locations.capacity { locations = locations.grown(to: count + 1, keeping: count) }
    (locations.start + count).initialize(
      to: RecordLocation(start: start, byteCount: size, form: record.form, position: position))
    byteCount += size
    count += 1
  }
}

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
  private let location: UnsafePointer<RecordCopies.RecordLocation>

  @inline(__always)
  init(
    plan: FieldPlan, bytes: UnsafePointer<UInt8>,
    location: UnsafePointer<RecordCopies.RecordLocation>
  ) {
    self.plan = plan
    self.bytes = bytes
    self.location = location
  }

  /// Its position in the feed.
  var position: Int { location.pointee.position }

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
      let record = try RecordView(content.bytes, form: location.pointee.form)
      value.pointee.type = field.type.rawValue
      if try !fill(value, field, record) {
        if record.isNull(field.location) {
          value.pointee.is_null = 1
        } else if field.type != .span || !record.isPresent(field.location)
          || !fill(value, at: plan.paths[index])
        {
          value.pointee.type = 0
          return FEEDCORE_NONE
        }
      }
    } catch {
      value.pointee.type = 0
      return FEEDCORE_DAMAGED
    }
    value.pointee.id = field.id
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
      pass(text, value)
    case .span:
      guard let text = try record.rawText(location) else { return false }
      pass(text, value)
    case .json:
      guard let text = try record.rawJSON(location) else { return false }
      pass(text, value)
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
      pass(uuid, value)
    }
    return true
  }

  /// The JSON text of a document; nil for a flat record.
  func documentText() throws(RecordError) -> UnsafeRawBufferPointer? {
    guard let field = plan.text else { return nil }
    let content = content
    guard let text = try RecordView(content.bytes, form: location.pointee.form).rawJSON(field)
    else { throw RecordError(.damaged, "the record of a document has no text") }
    return UnsafeRawBufferPointer(start: address(of: text), count: text.byteCount)
  }

  /// Appends the JSON text of a flat record.
  func appendText(to output: inout [UInt8]) throws(RecordError) {
    let content = content
    try plan.writer?.append(
      RecordView(content.bytes, form: location.pointee.form), to: &output)
  }

  /// Passes the text of an object or array of a document, to which its span does not refer; false
  /// if the document has none.
  private func fill(
    _ value: UnsafeMutablePointer<feedcore_value>, at path: JSONPath?
  ) -> Bool {
    guard let path, let text = try? documentText(),
      let range = (try? path.find(in: text.bytes)) ?? nil
    else { return false }
    let bytes = UnsafeRawBufferPointer(rebasing: text[range])
    value.pointee.type = UInt8(FEEDCORE_JSON)
    value.pointee.bytes = bytes.baseAddress
    value.pointee.length = bytes.count
    return true
  }

  /// An element of a list; nil if the field is not a list or has no element at this index.
  func element(_ index: Int, of field: Int) -> (start: UnsafeRawPointer, count: Int)? {
    let field = plan.fields[field]
    guard field.type == .textList,
      let record = try? RecordView(content.bytes, form: location.pointee.form),
      let list = try? record.textList(field.location), index >= 0, index < list.count,
      let element = try? list.rawElement(at: index)
    else { return nil }
    return (address(of: element), element.byteCount)
  }

  // MARK: Bytes

  private var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + location.pointee.start, count: location.pointee.byteCount)
  }

  @inline(__always)
  private func pass(_ bytes: RawSpan, _ value: UnsafeMutablePointer<feedcore_value>) {
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

/// Values in memory that is replaced by larger memory when necessary.
///
/// It is assigned and never mutated in place. For a mutation of an object's member, Swift would
/// check exclusive access at run time, which takes longer than the work here.
///
/// Safety: `start` points to `capacity` values. The owner counts the values that it has
/// initialized. They are trivial, so they may be overwritten or abandoned.
struct GrowingMemory<Value: BitwiseCopyable> {
  let start: UnsafeMutablePointer<Value>
  let capacity: Int

  init(capacity: Int) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  /// Larger memory with a copy of the first `kept` values; the old memory is freed.
  @inline(never)
  func grown(to total: Int, keeping kept: Int) -> Self {
    let grown = Self(capacity: max(total, 2 * capacity))
    grown.start.moveInitialize(from: start, count: kept)
    start.deallocate()
    return grown
  }

  /// Frees the memory; the owner calls this once.
  func deallocate() { start.deallocate() }
}
