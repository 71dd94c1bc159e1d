import CFeedCore
import FeedSchema
import FeedStorage

/// The description of a feed, in memory that C may read.
///
/// Safety: `start` is written only in `init` and freed only in `deinit`. Code that passes it to C
/// retains the object, which retains the texts that it refers to.
final class FeedObject {
  let start: UnsafePointer<feedcore_feed>
  private let texts: [CText]

  init(_ feed: FeedDescription) {
    let (name, kind, origin) = (CText(feed.name.text), CText(feed.kind), CText(feed.origin))
    let tag = feed.validators.entityTag.map { CText($0) }
    let modified = feed.validators.lastModified.map { CText($0) }
    let envelope = CText(feed.envelope)
    let memory = UnsafeMutablePointer<feedcore_feed>.allocate(capacity: 1)
    memory.initialize(
      to: feedcore_feed(
        name: name.start, name_length: name.count, kind: kind.start, kind_length: kind.count,
        record_count: UInt64(clamping: feed.recordCount),
        stored_bytes: UInt64(clamping: feed.storedBytes), generation: feed.generation,
        reference_seconds: feed.referenceSeconds, origin: origin.start,
        origin_length: origin.count, entity_tag: tag?.start, entity_tag_length: tag?.count ?? 0,
        last_modified: modified?.start, last_modified_length: modified?.count ?? 0,
        envelope: envelope.start, envelope_length: envelope.count, key_field: feed.keyField))
    start = UnsafePointer(memory)
    texts = [name, kind, origin, envelope] + [tag, modified].compactMap(\.self)
  }

  deinit { start.deallocate() }
}
