import CFeedCore
import LMDB

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
