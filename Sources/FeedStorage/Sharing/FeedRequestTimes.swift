import FeedRecord
import LMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// When each feed of a near store with a limit was last requested, over all processes of the host.
///
/// The times are in a mapped file that the processes share. The hash of a name chooses one of its
/// slots. Two feeds may have the same slot, and then both count as requested. A power cut or the
/// loss of the file forgets the times.
struct FeedRequestTimes: Sendable {
  static let count = 1024

  private let map: SharedByteMap?

  /// - Parameter map: a map with `count` counters; nil disables the times.
  init(_ map: SharedByteMap?) { self.map = map }

  var isEnabled: Bool { map != nil }

  /// Notes a request. Costs a hash and a look at the clock; writes once a second at most.
  ///
  /// - Parameter seconds: the time, in seconds since 1970; nil for now.
  func note(_ name: FeedName, at seconds: Int? = nil) {
    guard let map else { return }
    map.set(Self.slot(of: name), to: UInt64(clamping: seconds ?? time(nil)))
  }

  /// The time of the last request, in seconds since 1970; nil if none is known.
  func last(of name: FeedName) -> Int? {
    let seconds = map?.value(ofCounter: Self.slot(of: name)) ?? 0
    return seconds == 0 ? nil : Int(clamping: seconds)
  }

  private static func slot(of name: FeedName) -> Int {
    var text = name.text
    let hash = text.withUTF8 { KeyHash.hash(RawSpan(_unsafeBytes: UnsafeRawBufferPointer($0))) }
    return Int(hash % UInt64(count))
  }
}

extension FeedDatabase {
  /// Notes that a feed is requested. A near store with a limit removes the copies of other feeds
  /// first. Does nothing in a store that never had a limit.
  ///
  /// - Parameter seconds: the time, in seconds since 1970; nil for now.
  package func noteRequest(of name: FeedName, at seconds: Int? = nil) {
    requestTimes.note(name, at: seconds)
  }

  /// Whether requests are noted.
  package var notesRequests: Bool { requestTimes.isEnabled }

  /// When a feed of a near store was last requested, in seconds since 1970; nil if that is not
  /// known.
  package func lastRequest(of name: FeedName) -> Int? { requestTimes.last(of: name) }
}
