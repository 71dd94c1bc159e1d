import FeedPresentation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The requested page, and the pages that the client already has.
struct PageRequest: Sendable {
  let target: RequestTarget
  let reader: PageReader
  /// The tags of the pages that the client has stored.
  let known: EntityTagList?
  /// Distinguishes these pages from those of other template versions.
  let version: String

  var text: FeedText { reader.text }

  /// The current tag of a page that is made of these generations.
  ///
  /// It changes every minute, since pages state the age of feeds. It is weak, because compressed
  /// and uncompressed pages share it.
  func tag(_ feeds: some Sequence<(generation: UInt64, seconds: Double)>) -> EntityTag {
    let minute = Int64((reader.now.timeIntervalSinceReferenceDate / 60).rounded(.down))
    var parts = [version, text.language.rawValue, "\(minute)", target.text]
    for feed in feeds { parts += ["\(feed.generation)", "\(feed.seconds.bitPattern)"] }
    return EntityTag(PageAssets.sum(Array(parts.joined(separator: "\n").utf8)), isWeak: true)
  }

  /// Whether the client has the page with this tag.
  func has(_ tag: EntityTag) -> Bool {
    known?.contains { $0.isWeaklyEqual(to: tag) } ?? false
  }
}
