// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
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
