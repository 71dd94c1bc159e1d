import CFeedTools
import FeedStorage
import Foundation

/// The records of a feed as a C program would store them in LMDB, and its loops over them.
final class ReadPeer {
  private let directory: String
  private let handle: OpaquePointer

  /// - Parameters:
  ///   - directory: must not exist; removed with the peer.
  ///   - records: the peer marks those that it holds.
  init(in directory: String, holding records: inout PeerRecords) throws(StoreError) {
    self.directory = directory
    mkdir(directory, 0o700)
    var made: OpaquePointer?
    var code = feedpeer_open(directory, 4 * records.bytes.count + (1 << 26), &made)
    if code == 0, let made {
      code = records.bytes.withUnsafeBufferPointer { bytes in
        records.entries.withUnsafeMutableBufferPointer { entries in
          feedpeer_build(made, bytes.baseAddress, entries.baseAddress, entries.count)
        }
      }
    }
    guard code == 0, let made else {
      feedpeer_close(made)
      throw Self.error(code, directory)
    }
    handle = made
  }

  deinit {
    feedpeer_close(handle)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Looks up all keys; returns the number of bytes of the records found.
  func lookUp(_ keys: LookupKeys, renews: Bool) throws(StoreError) -> Int {
    var copied = 0
    let code = keys.bytes.withUnsafeBufferPointer { bytes in
      keys.ends.withUnsafeBufferPointer { ends in
        feedpeer_look_up(
          handle, bytes.baseAddress, ends.baseAddress, ends.count, renews, &copied)
      }
    }
    guard code == 0 else { throw Self.error(code, directory) }
    return copied
  }

  /// The sum of all keys, or of all records.
  func scan(wholeRecords: Bool) throws(StoreError) -> UInt64 {
    var sum: UInt64 = 0
    let code = feedpeer_scan(handle, wholeRecords, &sum)
    guard code == 0 else { throw Self.error(code, directory) }
    return sum
  }

  private static func error(_ code: CInt, _ directory: String) -> StoreError {
    StoreError(.ioError, "the peer: \(String(cString: feedpeer_message(code)))", path: directory)
  }
}
