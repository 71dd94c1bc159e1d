import LMDB
import Synchronization

/// Remembers images whose rows and bytes were proved in a snapshot: until the next commit their
/// rows need not be looked up again.
final class KnownImages: Sendable {
  /// Half a cache line: where images are copied out, little else stays in the cache between reads.
  private struct Place {
    /// Half of the key's hash. Whoever asks for an image compares URLs.
    let mark: UInt64
    let snapshot: Snapshot
    let image: KnownImage
  }

  /// A few places for each hash, side by side, so that images seldom drive each other out.
  private static let setSize = 4
  private static let setCount = 1 << 10

  /// Empty until there is something to remember.
  private let places = Mutex<[Place?]>([])

  /// The image that a key probably stands for, if it is known how it is in this snapshot.
  func image(_ key: ImageKey, in snapshot: Snapshot) -> KnownImage? {
    places.withLock { places in
      guard let place = Self.find(key, in: places), place.snapshot == snapshot else { return nil }
      return place.image
    }
  }

  /// The image of a row that was proved, which may be known from another snapshot.
  func image(_ key: ImageKey, _ url: String, of row: ImageRowView) -> KnownImage {
    let known = places.withLock { places in Self.find(key, in: places)?.image }
    return known.flatMap { $0.isOf(row) ? $0 : nil } ?? KnownImage(row, url)
  }

  private static func find(_ key: ImageKey, in places: [Place?]) -> Place? {
    if places.isEmpty { return nil }
    let mark = mark(of: key)
    for index in indices(of: mark) {
      if let place = places[index], place.mark == mark { return place }
    }
    return nil
  }

  /// Remembers an image in the place of what was known of its key, or of another one.
  func remember(_ image: KnownImage, _ key: ImageKey, in snapshot: Snapshot) {
    let mark = Self.mark(of: key)
    let own = Self.indices(of: mark)
    places.withLock { places in
      if places.isEmpty {
        places = Array(repeating: nil, count: Self.setCount * Self.setSize)
      }
      let chosen =
        own.first { places[$0]?.mark == mark } ?? own.first { places[$0] == nil }
        ?? own.lowerBound + Int(truncatingIfNeeded: image.generation) & (Self.setSize - 1)
      places[chosen] = Place(mark: mark, snapshot: snapshot, image: image)
    }
  }

  private static func mark(of key: ImageKey) -> UInt64 { UInt64(truncatingIfNeeded: key.hash) }

  private static func indices(of mark: UInt64) -> Range<Int> {
    let start = Int(truncatingIfNeeded: mark) & (setCount - 1) * setSize
    return start..<start + setSize
  }
}

/// What is known of an image, copied out of its row once.
final class KnownImage: Sendable {
  // What every read needs comes first, to share a cache line with the head of the object.
  let byteCount: Int
  private let expiry: Double
  /// That of whoever asked first: where it is asked for again by the same text, that is in the
  /// cache already.
  private let url: String
  let generation: UInt64
  let checksum: UInt64
  private let seal: UInt64
  private let metadata: ImageMetadata

  /// - Parameter url: the one of the row, byte for byte
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

  /// Whether it was made of the same row.
  func isOf(_ row: ImageRowView) -> Bool {
    let own = url.utf8
    return seal == row.seal && generation == row.generation && row.isOf(own.span.bytes)
  }

  /// Whether it is delivered no more. The time is asked for only where it matters.
  func isExpired(at now: () -> Double) -> Bool { expiry != .infinity && !(now() < expiry) }
}
