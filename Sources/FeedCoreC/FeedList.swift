// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedSchema
import FeedStorage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A list of feeds at one moment, for C to iterate.
final class FeedList: Handle {
  let feeds: [FeedObject]

  init(_ feeds: [FeedDescription]) { self.feeds = feeds.map { FeedObject($0) } }
}

@c @implementation
public func feedcore_feeds_list(
  _ store: OpaquePointer?, _ feeds: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  feeds?.pointee = nil
  return Call.share(store, StoreObject.self, error) { store in
    let feeds = try Call.require(feeds, "feeds")
    return try Call.give(FeedList(store.database.feeds()), feeds)
  }
}

@c @implementation
public func feedcore_feeds_find(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int,
  _ feeds: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  feeds?.pointee = nil
  return Call.share(store, StoreObject.self, error) { store in
    let feeds = try Call.require(feeds, "feeds")
    let name = try FeedName(Input.text(name, name_length, "name"))
    guard let feed = try store.database.feedDescription(named: name) else { return FEEDCORE_NONE }
    return try Call.give(FeedList([feed]), feeds)
  }
}

@c @implementation
public func feedcore_feeds_count(_ feeds: OpaquePointer?) -> Int {
  Call.look(feeds, FeedList.self, \.feeds.count) ?? 0
}

@c @implementation
public func feedcore_feeds_at(
  _ feeds: OpaquePointer?, _ index: Int
) -> UnsafePointer<feedcore_feed>? {
  Call.look(feeds, FeedList.self) { list in
    list.feeds.indices.contains(index) ? list.feeds[index].start : nil
  } ?? nil
}

@c @implementation
public func feedcore_feed_schema(
  _ feeds: OpaquePointer?, _ index: Int, _ text: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> feedcore_status {
  text?.pointee = nil
  length?.pointee = 0
  return Call.ask(feeds, FeedList.self) { list in
    guard let text, let length else { return FEEDCORE_MISUSE }
    guard list.feeds.indices.contains(index) else { return FEEDCORE_NONE }
    text.pointee = list.feeds[index].schema.start
    length.pointee = list.feeds[index].schema.count
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_feeds_free(_ feeds: OpaquePointer?) -> feedcore_status {
  Call.close(feeds, FeedList.self, alone: false)
}

@c @implementation
public func feedcore_feed_delete(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int, _ flags: UInt32,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.share(store, StoreObject.self, error) { store in
    try Input.require(flags, among: FEEDCORE_WAIT)
    let name = try FeedName(Input.text(name, name_length, "name"))
    let waits = flags & FEEDCORE_WAIT != 0
    if waits { try Input.requireNoCallback() }
    return try store.writable().delete(name, waits: waits) ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

@c @implementation
public func feedcore_feed_validate(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_length: Int,
  _ maximum_age: Double, _ validation: UnsafeMutablePointer<feedcore_validation>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  validation?.pointee = FEEDCORE_FEED_ABSENT
  return Call.share(store, StoreObject.self, error) { store in
    let validation = try Call.require(validation, "validation")
    let name = try FeedName(Input.text(name, name_length, "name"))
    guard maximum_age >= 0 else {
      throw Failure(FEEDCORE_MISUSE, "maximum_age must be a number of seconds, 0 or more")
    }
    let now = Date()
    switch try store.writable().validate(
      name,
      isValid: {
        now.timeIntervalSince($0.timestamp) < maximum_age
      })
    {
    case .absent: validation.pointee = FEEDCORE_FEED_ABSENT
    case .valid: validation.pointee = FEEDCORE_FEED_VALID
    case .expired: validation.pointee = FEEDCORE_FEED_EXPIRED
    case .unreadable: validation.pointee = FEEDCORE_FEED_UNREADABLE
    }
    return FEEDCORE_OK
  }
}

/// The description of a feed, in memory that C may read.
///
/// Safety: `start` is written only in `init` and freed only in `deinit`. Code that passes it to C
/// retains the object, which retains the texts that it refers to.
final class FeedObject {
  let start: UnsafePointer<feedcore_feed>
  /// The schema as JSON text.
  let schema: CText
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
    schema = CText(feed.schemaText)
    texts = [name, kind, origin, envelope] + [tag, modified].compactMap(\.self)
  }

  deinit { start.deallocate() }
}
