import FeedPresentation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What somebody asks for, and what they have already.
struct PageRequest: Sendable {
  let target: RequestTarget
  let reader: PageReader
  /// The pages that they keep.
  let known: EntityTagList?
  /// Tells these pages from those of another version of the templates.
  let version: String

  var text: FeedText { reader.text }

  /// The tag of the page that is made of these generations now.
  ///
  /// It changes every minute, since pages say how old things are. It is weak, because what is
  /// packed for its way has the same one.
  func tag(_ feeds: some Sequence<(generation: UInt64, seconds: Double)>) -> EntityTag {
    let minute = Int64((reader.now.timeIntervalSinceReferenceDate / 60).rounded(.down))
    var parts = [version, text.language.rawValue, "\(minute)", target.text]
    for feed in feeds { parts += ["\(feed.generation)", "\(feed.seconds.bitPattern)"] }
    return EntityTag(PageAssets.sum(Array(parts.joined(separator: "\n").utf8)), isWeak: true)
  }

  /// Whether they have the page with this tag.
  func has(_ tag: EntityTag) -> Bool {
    known?.contains { $0.isWeaklyEqual(to: tag) } ?? false
  }
}
