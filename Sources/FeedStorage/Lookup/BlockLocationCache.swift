import FeedRecord
import LMDB

/// A cache of the locations of a segment's blocks in one mapping of the data file, filled by
/// lookups. The next lookup needs no descent for the index and none for the record, which take most
/// of its time.
///
/// Why a cached location is valid: the blocks of a published segment are written once, under keys
/// that are never reused. They are deleted only when no generation has the segment. So in a
/// snapshot that contains the segment's generation they are at their original location, see
/// `MappedLocation`. Each block has been verified, and its checksum is compared again.
final class BlockLocationCache: Sendable {
  /// The locations of blocks by number. The lookup range is divided into parts; for each part the
  /// table has the block of the last lookup.
  ///
  /// It is a class: a struct taken from an array would cost a reference count for each of its
  /// members.
  private final class LocationTable: Sendable {
    private let locations: AtomicNumbers
    /// The block's number plus one; 0 for none.
    private let hints: AtomicNumbers
    /// The checksums of the verified blocks.
    private let checksums: AtomicNumbers

    init(blocks: UInt64, parts: UInt64, checksums: AtomicNumbers) {
      locations = AtomicNumbers(count: blocks)
      hints = AtomicNumbers(count: parts)
      self.checksums = checksums
    }

    func isVerified(_ number: UInt32, _ checksum: UInt64) -> Bool {
      checksums.holds(checksum, at: number)
    }

    func hint(_ part: UInt32) -> UInt64 { hints[part] }

    func location(ofHint hint: UInt64) -> MappedLocation? {
      guard hint > 0, let number = UInt32(exactly: hint - 1) else { return nil }
      return MappedLocation(rawValue: locations[number])
    }

    func insert(_ part: UInt32, _ number: UInt32, _ location: MappedLocation) {
      locations.set(number, location.rawValue)
      hints.set(part, UInt64(number) + 1)
    }
  }

  /// The maximum number of blocks to inspect: that of the hint, and then neighbours towards the
  /// right one.
  private static let steps = 3

  private let mapping: UInt
  private let shape: BlockShape
  private let blocks: LocationTable
  private let keyIndex: LocationTable
  private let fieldIndexes: [LocationTable]
  private let recordsInPart: UInt64
  private let hashShift: UInt32

  init(_ segment: Segment, _ layout: RecordLayout, _ verified: VerifiedBlocks, mapping: UInt) {
    self.mapping = mapping
    shape = BlockShape(layout)
    recordsInPart = max(segment.recordCount / max(segment.blockCount, 1), 1)
    blocks = LocationTable(
      blocks: segment.blockCount, parts: segment.recordCount / recordsInPart + 1,
      checksums: verified.blocks)
    let limit = segment.indexBlockLimit(indexCount: verified.indexBlocks.count)
    // About as many parts as possible blocks, of equal size, at most 2^24.
    let partBits = min(UInt64.bitWidth - limit.leadingZeroBitCount, 24)
    hashShift = UInt32(UInt32.bitWidth - partBits)
    var tables = verified.indexBlocks.map { checksums in
      LocationTable(blocks: limit, parts: 1 << UInt64(partBits), checksums: checksums)
    }
    keyIndex = tables.removeFirst()
    fieldIndexes = tables
  }

  // MARK: Records

  /// The block that holds a record, if its location is cached.
  @_lifetime(borrow transaction)
  func block(
    holding ordinal: UInt64, _ transaction: borrowing ReadTransaction
  ) -> BlockView? {
    guard let part = part(of: ordinal) else { return nil }
    var hint = blocks.hint(part)
    for _ in 0..<Self.steps {
      guard let location = blocks.location(ofHint: hint),
        let bytes = transaction.value(at: location, ofMapping: mapping)
      else { return nil }
      do throws(RecordError) {
        let view = try BlockView(bytes, shape: shape)
        guard UInt64(view.number) + 1 == hint, blocks.isVerified(view.number, view.checksum)
        else { return nil }
        if ordinal < view.firstOrdinal {
          hint -= 1
        } else if ordinal - view.firstOrdinal < UInt64(view.recordCount) {
          return view
        } else {
          hint += 1
        }
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Prefetches the beginning of the block that may hold a record, if its location is cached.
  func prefetchBlock(holding ordinal: UInt64, _ transaction: borrowing ReadTransaction) {
    guard let part = part(of: ordinal) else { return }
    prefetchBlock(blocks.hint(part), of: blocks, transaction)
  }

  private func prefetchBlock(
    _ hint: UInt64, of table: LocationTable, _ transaction: borrowing ReadTransaction
  ) {
    guard let location = table.location(ofHint: hint),
      let bytes = transaction.value(at: location, ofMapping: mapping)
    else { return }
    bytes.prefetch(0..<BlockFormat.headerByteCount)
  }

  /// Caches the location of a verified block in which a record was found.
  func insert(
    _ number: UInt32, holding ordinal: UInt64, _ bytes: RawSpan,
    _ transaction: borrowing ReadTransaction
  ) {
    guard transaction.mappingNumber == mapping, let part = part(of: ordinal),
      let location = transaction.location(of: bytes)
    else { return }
    blocks.insert(part, number, location)
  }

  private func part(of ordinal: UInt64) -> UInt32? { UInt32(exactly: ordinal / recordsInPart) }

  // MARK: Indexes

  /// The block with all pairs of a hash in an index, if its location is cached.
  @_lifetime(borrow transaction)
  func indexBlock(
    of index: UInt8, covering hash: UInt32, _ transaction: borrowing ReadTransaction
  ) -> IndexBlockView? {
    // A table taken from the array costs a reference count.
    index == StoreFormat.keyIndex
      ? indexBlock(in: keyIndex, covering: hash, transaction)
      : indexBlock(in: table(of: index), covering: hash, transaction)
  }

  private func table(of index: UInt8) -> LocationTable {
    index == StoreFormat.keyIndex ? keyIndex : fieldIndexes[Int(index) - 1]
  }

  @_lifetime(borrow transaction)
  private func indexBlock(
    in table: LocationTable, covering hash: UInt32, _ transaction: borrowing ReadTransaction
  ) -> IndexBlockView? {
    var hint = table.hint(hash >> hashShift)
    for _ in 0..<Self.steps {
      guard let location = table.location(ofHint: hint),
        let bytes = transaction.value(at: location, ofMapping: mapping)
      else { return nil }
      do throws(RecordError) {
        let view = try IndexBlockView(bytes)
        guard UInt64(view.number) + 1 == hint, table.isVerified(view.number, view.checksum)
        else { return nil }
        if view.coversMiss(of: hash) { return view }
        if let lower = view.lower, hash <= lower { hint -= 1 } else { hint += 1 }
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Prefetches the beginning of the index block that may contain a hash, if its location is
  /// cached.
  func prefetchIndexBlock(
    of index: UInt8, covering hash: UInt32, _ transaction: borrowing ReadTransaction
  ) {
    let table = table(of: index)
    prefetchBlock(table.hint(hash >> hashShift), of: table, transaction)
  }

  /// Caches the location of a verified index block in which a hash was looked up.
  func insert(
    _ number: UInt32, of index: UInt8, covering hash: UInt32, _ bytes: RawSpan,
    _ transaction: borrowing ReadTransaction
  ) {
    guard transaction.mappingNumber == mapping, let location = transaction.location(of: bytes)
    else {
      return
    }
    table(of: index).insert(hash >> hashShift, number, location)
  }
}
