#if Server
  import JSONStream
  import Synchronization

  /// The permit to compress a body while it is sent. It is released with this object.
  ///
  /// A compressor holds hundreds of kilobytes for as long as a slow client reads. The number of
  /// permits is limited; further bodies are sent uncompressed.
  final class PackingPlace: Sendable {
    private static let places = 128
    private static let free = Mutex(places)

    let format: PackedStream.Format

    /// Nil if all permits are in use.
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
