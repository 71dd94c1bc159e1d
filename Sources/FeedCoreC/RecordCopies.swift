import FeedRecord
import FeedStorage

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
/// Safety: `bytes` and `places` are memory of this object, reserved before each write. The memory
/// moves only in `append`, which invalidates pointers into it.
final class RecordCopies {
  /// The location of one record.
  struct Place: BitwiseCopyable {
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
  private var places = GrowingMemory<Place>(capacity: 16)

  init(_ plan: FieldPlan) { self.plan = plan }

  deinit {
    bytes.deallocate()
    places.deallocate()
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
    RecordCopy(plan: plan, bytes: bytes.start, place: places.start + index)
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
    if count == places.capacity { places = places.grown(to: count + 1, keeping: count) }
    (places.start + count).initialize(
      to: Place(start: start, byteCount: size, form: record.form, position: position))
    byteCount += size
    count += 1
  }
}
