import LMDB
import Synchronization

/// Remembers images whose rows and bytes were proved in a snapshot: until the next commit their
/// rows need not be looked up again.
final class KnownImages: Sendable {
  private struct Place {
    let key: ImageKey
    let snapshot: Snapshot
    let image: KnownImage
  }

  /// A few places for each hash, side by side, so that images seldom drive each other out.
  private static let setSize = 4
  private static let setCount = 1 << 10

  /// Empty until there is something to remember.
  private let places = Mutex<[Place?]>([])

  /// The image of a key, if it is known how it is in this snapshot.
  func image(_ key: ImageKey, in snapshot: Snapshot) -> KnownImage? {
    places.withLock { places in
      guard let place = Self.find(key, in: places), place.snapshot == snapshot else { return nil }
      return place.image
    }
  }

  /// The image of a row that was proved, which may be known from another snapshot.
  func image(_ key: ImageKey, of row: ImageRowView) -> KnownImage {
    let known = places.withLock { places in Self.find(key, in: places)?.image }
    if let known, known.seal == row.seal, known.row.generation == row.generation { return known }
    return KnownImage(row)
  }

  private static func find(_ key: ImageKey, in places: [Place?]) -> Place? {
    if places.isEmpty { return nil }
    for index in indices(of: key) {
      if let place = places[index], place.key == key { return place }
    }
    return nil
  }

  /// Remembers an image in the place of what was known of its key, or of another one.
  func remember(_ image: KnownImage, _ key: ImageKey, in snapshot: Snapshot) {
    places.withLock { places in
      if places.isEmpty {
        places = Array(repeating: nil, count: Self.setCount * Self.setSize)
      }
      let own = Self.indices(of: key)
      let chosen =
        own.first { places[$0]?.key == key } ?? own.first { places[$0] == nil }
        ?? own.lowerBound + Int(truncatingIfNeeded: image.row.generation) & (Self.setSize - 1)
      places[chosen] = Place(key: key, snapshot: snapshot, image: image)
    }
  }

  private static func indices(of key: ImageKey) -> Range<Int> {
    let start = Int(truncatingIfNeeded: key.hash) & (setCount - 1) * setSize
    return start..<start + setSize
  }
}

/// What is known of an image, copied out of its row once.
final class KnownImage: Sendable {
  let row: ImageRow
  /// That of the row, by which it is known again.
  let seal: UInt64

  init(_ row: ImageRowView) {
    self.row = ImageRow(row)
    seal = row.seal
  }

  /// Whether it is the image of a URL, byte for byte.
  func isOf(_ url: RawSpan) -> Bool {
    let own = row.description.url.utf8
    return own.span.bytes.isEqual(to: url)
  }

  /// Whether it is delivered no more. The time is asked for only where it matters.
  func isExpired(at now: () -> Double) -> Bool {
    row.description.metadata.expiryReferenceSeconds != nil && row.description.isExpired(at: now())
  }
}
