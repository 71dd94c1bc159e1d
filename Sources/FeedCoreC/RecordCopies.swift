import FeedRecord
import FeedStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records, copied out of the store one behind the other.
///
/// What lies in the map must not be lent beyond its snapshot, and a snapshot must not be kept from
/// one call of C to the next. What a field needs to be read is proved while the record is copied, so
/// that damage is met by who moves to a record and not by who looks at its fields.
///
/// Safety: `bytes` and `places` are memory of this object, with room for what is about to be written,
/// which is reserved before. The memory moves only in `append`, and what it lent before is void then.
final class RecordCopies {
  /// Where one record lies.
  struct Place: BitwiseCopyable {
    let start: Int
    let byteCount: Int
    let form: RecordForm
    /// Its place in the feed.
    let position: Int
  }

  private var plan: FieldPlan
  private(set) var count = 0
  private(set) var byteCount = 0
  private var bytes = GrowingMemory<UInt8>(capacity: 4096)
  private var places = GrowingMemory<Place>(capacity: 16)

  init(_ plan: FieldPlan) { self.plan = plan }

  deinit {
    bytes.deallocate()
    places.deallocate()
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
  }

  /// A record, below `count`; good until the next one is copied or these are forgotten.
  @inline(__always)
  func record(_ index: Int) -> RecordCopy {
    RecordCopy(plan: plan, bytes: bytes.start, place: places.start + index)
  }

  /// Copies a record of a feed that the plan is of.
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
    if count == places.capacity { places = places.grown(to: count + 1, keeping: count) }
    (places.start + count).initialize(
      to: Place(start: start, byteCount: size, form: record.form, position: position))
    byteCount += size
    count += 1
  }
}
