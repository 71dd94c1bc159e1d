import CLMDB

/// Where a value lies in one mapping of a data file: whoever has met it finds it again without a
/// descent from the root.
///
/// Only values too long for a page of others have a place. LMDB puts them on pages of their own,
/// which stay where they are until the value is deleted or replaced; a shorter one moves whenever
/// an entry beside it changes.
package struct MappedPlace: Sendable {
  /// Bytes of an LMDB page before what it holds.
  private static let headerByteCount: UInt = 16
  /// A map begins at a multiple of the system's page, and pages of LMDB have a multiple of this.
  private static let unitBits: UInt = 12
  fileprivate static let leastPage = 1 << unitBits
  /// Longer values have no place.
  private static let lengthBits: UInt = 26

  /// Both the address and the length; zero for none.
  package let number: UInt64

  package init?(number: UInt64) {
    if number == 0 { return nil }
    self.number = number
  }

  fileprivate init?(_ value: UnsafeRawBufferPointer, pageByteCount: Int) {
    // What is longer than a page is on pages of its own.
    guard let address = value.baseAddress, pageByteCount > 0, value.count > pageByteCount,
      value.count >> Self.lengthBits == 0
    else { return nil }
    let page = UInt(bitPattern: address) &- Self.headerByteCount
    let unit = page >> Self.unitBits
    guard unit << Self.unitBits == page, unit >> (64 - Self.lengthBits) == 0 else { return nil }
    number = UInt64(unit) << UInt64(Self.lengthBits) | UInt64(value.count)
  }

  fileprivate var bytes: UnsafeRawBufferPointer {
    let page = UInt(number >> UInt64(Self.lengthBits)) << Self.unitBits
    let length = Int(number & (1 << UInt64(Self.lengthBits) - 1))
    let start = UnsafeRawPointer(bitPattern: page + Self.headerByteCount)
    return UnsafeRawBufferPointer(start: start, count: length)
  }
}

extension ReadTransaction {
  /// The place of a value that this transaction has lent; nil where it has none.
  package borrowing func place(of value: RawSpan) -> MappedPlace? {
    // What an unfinished write shows may lie outside the map. No page is smaller than this, and what
    // fits into one is not worth the question how large they are.
    if isOfWriter || value.byteCount <= MappedPlace.leastPage { return nil }
    var page = MDB_stat()
    mdb_env_stat(mdb_txn_env(handle), &page)
    return value.withUnsafeBytes { MappedPlace($0, pageByteCount: Int(page.ms_psize)) }
  }

  /// The value at a place; nil where it is of another mapping than this transaction's.
  ///
  /// Safety: the entry whose value had the place must be in this snapshot, and must not have been
  /// put again since. Then its pages are those of the place: LMDB writes into none that a snapshot
  /// sees, and moves none of these.
  @_lifetime(borrow self)
  package borrowing func value(at place: MappedPlace, ofMapping mapping: UInt) -> RawSpan? {
    guard !isOfWriter, mapping == mappingNumber else { return nil }
    let span = RawSpan(_unsafeBytes: place.bytes)
    return _overrideLifetime(span, borrowing: self)
  }
}
