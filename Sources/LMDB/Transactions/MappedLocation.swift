import CLMDB

/// The address of a value in one mapping of a data file. A cached address saves the descent from
/// the root.
///
/// Only values larger than a page have one. LMDB stores them on pages of their own, which do not
/// move until the value is deleted or replaced. A smaller value moves whenever a neighbouring entry
/// changes.
package struct MappedLocation: Sendable {
  /// The size of the header of an LMDB page in bytes.
  private static let headerByteCount: UInt = 16
  /// A map starts at a multiple of the system's page size. LMDB's page size is a multiple of this
  /// unit.
  private static let unitBits: UInt = 12
  fileprivate static let minimumPageByteCount = 1 << unitBits
  /// Longer values have no such address.
  private static let lengthBits: UInt = 26

  /// Address and length combined; zero for none.
  package let rawValue: UInt64

  package init?(rawValue: UInt64) {
    if rawValue == 0 { return nil }
    self.rawValue = rawValue
  }

  fileprivate init?(_ value: UnsafeRawBufferPointer, pageByteCount: Int) {
    // A value larger than a page is on pages of its own.
    guard let address = value.baseAddress, pageByteCount > 0, value.count > pageByteCount,
      value.count >> Self.lengthBits == 0
    else { return nil }
    let page = UInt(bitPattern: address) &- Self.headerByteCount
    let unit = page >> Self.unitBits
    guard unit << Self.unitBits == page, unit >> (64 - Self.lengthBits) == 0 else { return nil }
    rawValue = UInt64(unit) << UInt64(Self.lengthBits) | UInt64(value.count)
  }

  fileprivate var bytes: UnsafeRawBufferPointer {
    let page = UInt(rawValue >> UInt64(Self.lengthBits)) << Self.unitBits
    let length = Int(rawValue & (1 << UInt64(Self.lengthBits) - 1))
    let start = UnsafeRawPointer(bitPattern: page + Self.headerByteCount)
    return UnsafeRawBufferPointer(start: start, count: length)
  }
}

extension ReadTransaction {
  /// The address of a value that this transaction returned; nil if it has none.
  package borrowing func location(of value: RawSpan) -> MappedLocation? {
    // Values of an unfinished write may lie outside the map. No page is smaller than this, so a
    // value that fits does not need the exact page size.
    if isOfWriter || value.byteCount <= MappedLocation.minimumPageByteCount { return nil }
    var page = MDB_stat()
    mdb_env_stat(mdb_txn_env(handle), &page)
    return value.withUnsafeBytes { MappedLocation($0, pageByteCount: Int(page.ms_psize)) }
  }

  /// The value at an address; nil if the address belongs to another mapping than this
  /// transaction's.
  ///
  /// Safety: the entry of the value must be in this snapshot, and must not have been put again
  /// since. Its pages are then unchanged: LMDB neither writes to pages that a snapshot sees nor
  /// moves these.
  @_lifetime(borrow self)
  package borrowing func value(at location: MappedLocation, ofMapping mapping: UInt) -> RawSpan? {
    guard !isOfWriter, mapping == mappingNumber else { return nil }
    let span = RawSpan(_unsafeBytes: location.bytes)
    return _overrideLifetime(span, borrowing: self)
  }
}
