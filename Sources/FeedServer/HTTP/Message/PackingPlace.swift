#if Server
  import JSONStream
  import Synchronization

  /// The right to pack a body while it is sent, which lasts as long as this is kept.
  ///
  /// A packer holds hundreds of kilobytes for as long as a slow client reads. There are only so many
  /// of them: whoever comes behind is sent the bare bytes.
  final class PackingPlace: Sendable {
    private static let places = 128
    private static let free = Mutex(places)

    let format: PackedStream.Format

    /// Nil where all places are taken.
    init?(_ format: PackedStream.Format) {
      let isFree = Self.free.withLock { free in
        guard free > 0 else { return false }
        free -= 1
        return true
      }
      guard isFree else { return nil }
      self.format = format
    }

    deinit { Self.free.withLock { $0 += 1 } }
  }
#endif
