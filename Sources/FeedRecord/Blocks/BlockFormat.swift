/// The constants of the format, as published in `include/feedrecord.h`.
///
/// They are computed properties, so that code inlined into other modules sees plain constants.
@usableFromInline
package enum BlockFormat {
  /// "FCB1" in little-endian order.
  @inlinable package static var magic: UInt32 { 0x3142_4346 }
  /// "FCI1" in little-endian order.
  @inlinable package static var indexMagic: UInt32 { 0x3149_4346 }
  /// The version of blocks of flat records; version 1 had no 8-bit offsets.
  @inlinable package static var version: UInt16 { 2 }
  /// The version of blocks of documents, whose records have JSON texts and spans.
  @inlinable package static var documentVersion: UInt16 { 3 }
  /// The version of index blocks; version 1 stored all 64 bits of a hash.
  @inlinable package static var indexVersion: UInt16 { 2 }
  /// A block fills 16 pages of LMDB, 16 bytes of which are the page header.
  @inlinable package static var targetByteCount: Int { 16 * 4_096 - 16 }
  @inlinable package static var headerByteCount: Int { 40 }
  @inlinable package static var fieldEntryByteCount: Int { 4 }
  /// The maximum number of variable bytes of a short record: its end offsets fit in 8 bits.
  @inlinable package static var maximumShortByteCount: Int { 255 }
  /// The maximum number of variable bytes of a narrow record: its end offsets fit in 16 bits. A larger record is
  /// wide.
  @inlinable package static var maximumNarrowByteCount: Int { 65_535 }

  @inlinable package static var wideBlock: UInt16 { 1 }
  @inlinable package static var optionalField: UInt8 { 1 }
  @inlinable package static var indexHasLower: UInt16 { 1 }
  @inlinable package static var indexHasUpper: UInt16 { 2 }
  @inlinable package static var indexPairByteCount: Int { 8 }
  /// The size of a pair in version 1.
  @inlinable package static var oldIndexPairByteCount: Int { 12 }

  /// The checksum covers the block from this offset.
  @inlinable package static var checkedFrom: Int { 16 }

  /// Byte offsets inside an entry of the field table.
  @usableFromInline package enum FieldEntry {
    @inlinable package static var id: Int { 0 }
    @inlinable package static var type: Int { 2 }
    @inlinable package static var flags: Int { 3 }
  }

  /// Byte offsets of the fields of a records block's header.
  @usableFromInline package enum Header {
    @inlinable package static var magic: Int { 0 }
    @inlinable package static var version: Int { 4 }
    @inlinable package static var fieldCount: Int { 6 }
    @inlinable package static var checksum: Int { 8 }
    @inlinable package static var firstOrdinal: Int { 16 }
    @inlinable package static var number: Int { 24 }
    @inlinable package static var recordCount: Int { 28 }
    @inlinable package static var schemaID: Int { 32 }
    @inlinable package static var flags: Int { 36 }
    @inlinable package static var reserved: Int { 38 }
  }

  /// Byte offsets of the fields of an index block's header.
  @usableFromInline package enum IndexHeader {
    @inlinable package static var magic: Int { 0 }
    @inlinable package static var version: Int { 4 }
    @inlinable package static var flags: Int { 6 }
    @inlinable package static var checksum: Int { 8 }
    @inlinable package static var number: Int { 16 }
    @inlinable package static var count: Int { 20 }
    @inlinable package static var lower: Int { 24 }
    @inlinable package static var upper: Int { 32 }
  }
}
