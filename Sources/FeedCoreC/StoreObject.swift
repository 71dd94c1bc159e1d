// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedStorage
import LMDB

/// A store that C has opened.
final class StoreObject: Handle {
  let database: FeedDatabase
  private let isWritable: Bool

  init(_ database: FeedDatabase, isWritable: Bool) {
    self.database = database
    self.isWritable = isWritable
  }

  /// The store, for changes.
  func writable() throws -> FeedDatabase {
    guard isWritable else { throw Failure.readOnly }
    return database
  }
}

@c @implementation
public func feedcore_store_open(
  _ path: UnsafePointer<CChar>?, _ path_length: Int, _ flags: UInt32,
  _ store: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  store?.pointee = nil
  return Call.run(error) {
    let store = try Call.require(store, "store")
    let flags = try OpenFlags(flags)
    let options = FeedDatabase.Options(
      durability: flags.durability,
      createsMissing: flags.createsMissing)
    let database = try FeedDatabase.open(at: Input.path(path, path_length), options: options)
    return try Call.give(StoreObject(database, isWritable: flags.isWritable), store)
  }
}

@c @implementation
public func feedcore_store_close(_ store: OpaquePointer?) -> feedcore_status {
  Call.close(store, StoreObject.self, alone: false)
}

/// The meaning of the flags for opening a store of feeds or of images.
struct OpenFlags {
  let isWritable: Bool
  let createsMissing: Bool
  let durability: Durability

  init(_ flags: UInt32) throws {
    try Input.require(flags, among: FEEDCORE_READ_WRITE, FEEDCORE_CREATE, FEEDCORE_DURABLE)
    isWritable = flags & (FEEDCORE_READ_WRITE | FEEDCORE_CREATE) != 0
    createsMissing = flags & FEEDCORE_CREATE != 0
    durability = flags & FEEDCORE_DURABLE != 0 ? .full : .cache
  }
}
