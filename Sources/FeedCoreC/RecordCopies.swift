import CFeedCore
import FeedRecord
import FeedStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records, copied out of the store one behind the other, with where the fields of each lie.
///
/// What lies in the map must not be lent beyond its snapshot, and a snapshot must not be kept from
/// one call of C to the next. Fields are found while the record is in the map, so that the copy
/// needs to know nothing of how records are laid out.
///
/// Safety: `bytes`, `slots`, `elements` and `positions` are memory of this object, with room for what
/// is about to be written, which is reserved before; a slot leads to bytes below `byteCount` or to
/// elements below `elementCount`, since that is where its field was just put. The memory moves only
/// in `append`, and what it lent before is void then.
final class RecordCopies {
  /// Where one field of one record lies.
  struct Slot: BitwiseCopyable {
    enum State: UInt8 { case absent, null, present }
    var state: State
    /// Of the bytes, or of the first element.
    var start: Int
    /// Bytes or elements.
    var count: Int
    /// The bits of a value of fixed width.
    var bits: UInt64
  }

  struct Element: BitwiseCopyable {
    let start: Int
    let count: Int
  }

  private var plan: FieldPlan
  private(set) var count = 0
  private(set) var byteCount = 0
  private var elementCount = 0
  private var bytes = GrowingMemory<UInt8>(capacity: 4096)
  private var slots = GrowingMemory<Slot>(capacity: 16)
  private var elements = GrowingMemory<Element>(capacity: 16)
  private var positions = GrowingMemory<Int>(capacity: 16)

  init(_ plan: FieldPlan) { self.plan = plan }

  deinit {
    bytes.deallocate()
    slots.deallocate()
    elements.deallocate()
    positions.deallocate()
  }

  /// Forgets the records, and takes the fields of a plan from the next ones.
  func clear(_ plan: FieldPlan) {
    self.plan = plan
    clear()
  }

  /// Forgets the records.
  @inline(__always)
  func clear() {
    count = 0
    byteCount = 0
    elementCount = 0
  }

  /// A record, below `count`; good until the next one is copied or these are forgotten.
  @inline(__always)
  func record(_ index: Int) -> RecordCopy {
    RecordCopy(
      plan: plan, fields: plan.fields, slots: slots.start + index * plan.fields.count,
      bytes: bytes.start, elements: elements.start, position: positions.start[index])
  }

  // MARK: Copying

  /// Copies a record of a feed that the plan is of, with all fields of the plan.
  func append(_ record: RecordView, at position: Int) throws(StoreError) {
    do throws(RecordError) { try copy(record) } catch { throw StoreError(error) }
    if count == positions.capacity { positions = positions.grown(to: count + 1, keeping: count) }
    (positions.start + count).initialize(to: position)
    count += 1
  }

  private func copy(_ record: RecordView) throws(RecordError) {
    let fields = plan.fields
    let fieldCount = fields.count
    let start = byteCount
    let size = record.bytes.byteCount
    let byteTotal = start + size + 16 * plan.uuidCount
    if byteTotal > bytes.capacity { bytes = bytes.grown(to: byteTotal, keeping: start) }
    let slotTotal = (count + 1) * fieldCount
    if slotTotal > slots.capacity {
      slots = slots.grown(to: slotTotal, keeping: slotTotal - fieldCount)
    }
    let base = record.bytes.withUnsafeBytes { source -> UnsafeRawPointer? in
      if let base = source.baseAddress { memcpy(bytes.start + start, base, size) }
      return source.baseAddress
    }
    var end = start + size
    let target = slots.start + count * fieldCount
    for index in 0..<fieldCount {
      let field = fields[index]
      var slot = Slot(state: .absent, start: 0, count: 0, bits: 0)
      try fill(&slot, field.type, field.location, record, Copied(base: base, start: start), &end)
      (target + index).initialize(to: slot)
    }
    byteCount = end
  }

  /// Where a record lay, and where it lies now.
  private struct Copied {
    let base: UnsafeRawPointer?
    let start: Int

    @inline(__always)
    func place(of span: RawSpan) -> Int {
      span.withUnsafeBytes { piece in
        guard let base, let piece = piece.baseAddress else { return start }
        return start + (piece - base)
      }
    }
  }

  @inline(__always)
  private func fill(
    _ slot: inout Slot, _ type: FieldType, _ location: FieldLocation, _ record: RecordView,
    _ copied: Copied, _ end: inout Int
  ) throws(RecordError) {
    switch type {
    case .text:
      guard let text = try record.rawText(location) else { break }
      slot = Slot(state: .present, start: copied.place(of: text), count: text.byteCount, bits: 0)
    case .textList:
      guard let list = try record.textList(location) else { break }
      slot = Slot(state: .present, start: elementCount, count: list.count, bits: 0)
      let total = elementCount + list.count
      if total > elements.capacity { elements = elements.grown(to: total, keeping: elementCount) }
      for index in 0..<list.count {
        let text = try list.rawElement(at: index)
        (elements.start + elementCount + index).initialize(
          to: Element(start: copied.place(of: text), count: text.byteCount))
      }
      elementCount += list.count
    case .boolean:
      guard let value = try record.boolean(location) else { break }
      slot = Slot(state: .present, start: 0, count: 0, bits: value ? 1 : 0)
    case .integer:
      guard let value = try record.integer(location) else { break }
      slot = Slot(state: .present, start: 0, count: 0, bits: UInt64(bitPattern: value))
    case .number:
      guard let value = try record.number(location) else { break }
      slot = Slot(state: .present, start: 0, count: 0, bits: value.bitPattern)
    case .date:
      guard let value = try record.date(location) else { break }
      slot = Slot(state: .present, start: 0, count: 0, bits: value.bitPattern)
    case .uuid:
      guard let value = try record.uuid(location) else { break }
      let place = UnsafeMutableRawPointer(bytes.start + end)
      place.storeBytes(of: value.high.bigEndian, as: UInt64.self)
      place.storeBytes(of: value.low.bigEndian, toByteOffset: 8, as: UInt64.self)
      slot = Slot(state: .present, start: end, count: 16, bits: 0)
      end += 16
    }
    if slot.state == .absent, record.isNull(location) { slot.state = .null }
  }
}
