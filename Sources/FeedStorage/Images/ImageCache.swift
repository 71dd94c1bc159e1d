import LMDB
import Synchronization

/// Caches images whose rows and bytes were verified in a snapshot. Until the next commit their rows
/// need not be looked up again.
final class ImageCache: Sendable {
  /// Half a cache line: copying images displaces most other data from the cache between reads.
  private struct CacheSlot {
    /// Half of the key's hash. The caller compares URLs.
    let mark: UInt64
    let snapshot: Snapshot
    let image: CachedImage
  }

  /// Several slots per hash, so that images rarely displace each other.
  private static let setSize = 4
  private static let setCount = 1 << 10

  /// Empty until the first image is cached.
  private let slots = Mutex<[CacheSlot?]>([])

  /// The probable image of a key, if it is cached for this snapshot.
  func image(_ key: ImageKey, in snapshot: Snapshot) -> CachedImage? {
    slots.withLock { slots in
      guard let slot = Self.find(key, in: slots), slot.snapshot == snapshot else { return nil }
      return slot.image
    }
  }

  /// The image of a verified row, which may be cached from another snapshot.
  func image(_ key: ImageKey, _ url: String, of row: ImageRowView) -> CachedImage {
    let cached = slots.withLock { slots in Self.find(key, in: slots)?.image }
    return cached.flatMap { $0.isOf(row) ? $0 : nil } ?? CachedImage(row, url)
  }

  private static func find(_ key: ImageKey, in slots: [CacheSlot?]) -> CacheSlot? {
    if slots.isEmpty { return nil }
    let mark = mark(of: key)
    for index in indices(of: mark) {
      if let slot = slots[index], slot.mark == mark { return slot }
    }
    return nil
  }

  /// Caches an image in the slot of its key, or displaces another image.
  func insert(_ image: CachedImage, _ key: ImageKey, in snapshot: Snapshot) {
    let mark = Self.mark(of: key)
    let own = Self.indices(of: mark)
    slots.withLock { slots in
      if slots.isEmpty {
        slots = Array(repeating: nil, count: Self.setCount * Self.setSize)
      }
      let chosen =
        own.first { slots[$0]?.mark == mark } ?? own.first { slots[$0] == nil }
        ?? own.lowerBound + Int(truncatingIfNeeded: image.generation) & (Self.setSize - 1)
      slots[chosen] = CacheSlot(mark: mark, snapshot: snapshot, image: image)
    }
  }

  private static func mark(of key: ImageKey) -> UInt64 { UInt64(truncatingIfNeeded: key.hash) }

  private static func indices(of mark: UInt64) -> Range<Int> {
    let start = Int(truncatingIfNeeded: mark) & (setCount - 1) * setSize
    return start..<start + setSize
  }
}

/// The properties of an image, copied from its row once.
final class CachedImage: Sendable {
  // The fields that every read needs come first, to share a cache line with the object's header.
  let byteCount: Int
  private let expiry: Double
  /// The text of the first request. A later request with the same text finds it in the CPU cache.
  private let url: String
  let generation: UInt64
  let checksum: UInt64
  private let seal: UInt64
  private let metadata: ImageMetadata

  /// - Parameter url: equal to the row's URL, byte for byte
  init(_ row: ImageRowView, _ url: String) {
    byteCount = row.byteCount
    expiry = row.expiry
    self.url = url
    generation = row.generation
    checksum = row.checksum
    seal = row.seal
    metadata = row.metadata
  }

  var description: ImageDescription {
    ImageDescription(url: url, byteCount: byteCount, checksum: checksum, metadata: metadata)
  }

  /// Whether it is the image of a URL, byte for byte.
  func isOf(_ url: RawSpan) -> Bool {
    let own = self.url.utf8
    return own.span.bytes.isEqual(to: url)
  }

  /// Whether it was created from the same row.
  func isOf(_ row: ImageRowView) -> Bool {
    let own = url.utf8
    return seal == row.seal && generation == row.generation && row.isOf(own.span.bytes)
  }

  /// Whether it has expired. Reads the time only if needed.
  func isExpired(at now: () -> Double) -> Bool { expiry != .infinity && !(now() < expiry) }
}

/// Remembers the images whose bytes this process has verified, up to a fixed number. Verifying an
/// image again costs less than unbounded memory.
///
/// An image is identified by its generation and its mapping, because a restored file may use the
/// same number for another image.
struct VerifiedImages: Sendable {
  /// Several slots per hash, so that images rarely displace each other.
  private static let setSize: UInt32 = 4
  private static let setCount: UInt32 = 1 << 13
  private static let generationBits = 44

  /// Each slot identifies one verified image in one number; 0 is an empty slot.
  private let marks = AtomicNumbers(count: UInt64(setCount * setSize))

  func contains(_ key: ImageKey, _ generation: UInt64, inMapping mapping: UInt) -> Bool {
    guard let mark = Self.mark(generation, mapping) else { return false }
    return Self.slots(of: key).contains { marks[$0] == mark }
  }

  func insert(_ key: ImageKey, _ generation: UInt64, inMapping mapping: UInt) {
    guard let mark = Self.mark(generation, mapping) else { return }
    let own = Self.slots(of: key)
    let chosen = own.lowerBound + UInt32(truncatingIfNeeded: generation) % Self.setSize
    marks.set(own.first { marks[$0] == 0 } ?? chosen, mark)
  }

  private static func slots(of key: ImageKey) -> Range<UInt32> {
    let start = UInt32(truncatingIfNeeded: key.hash) % setCount * setSize
    return start..<start + setSize
  }

  /// Combines both numbers; nil if they do not fit, which no process will reach.
  private static func mark(_ generation: UInt64, _ mapping: UInt) -> UInt64? {
    guard mapping > 0, generation >> generationBits == 0, mapping >> (64 - generationBits) == 0
    else {
      return nil
    }
    return UInt64(mapping) << generationBits | generation
  }
}
