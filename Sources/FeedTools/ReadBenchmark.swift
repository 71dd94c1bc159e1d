import CFeedTools
import FeedRecord
package import FeedStorage

/// Measures lookups and scans of a feed, and reading images, against C on the same records.
///
/// The peer is an LMDB environment with one table, which stores each record under its key, in full
/// pages. Both sides copy what they look up, and both sum the same bytes in a scan.
package struct ReadBenchmark {
  /// The measurements, in seconds per lookup or record.
  package struct Result: Sendable {
    /// Lookups by key, each in its own snapshot.
    package var lookup = Contest()
    /// The same against a peer that does all lookups in one snapshot.
    package var lookupInOneSnapshot = Contest()
    /// Lookups of missing keys.
    package var miss = Contest()
    /// A scan that reads the key of every record.
    package var keyScan = Contest()
    /// A scan that reads every byte of every record.
    package var recordScan = Contest()
    /// Copying images of 50 000 bytes, each in its own snapshot.
    package var imageRead = Contest()
    package var kind = ""
    package var records = 0
    /// The number of records that the peer cannot hold: their key is too long for it or not unique.
    package var leftOut = 0
  }

  /// The maximum number of lookups in one round; fewer if there are fewer records.
  private static let lookups = 20_000

  private let feed: Feed
  private let directory: String

  /// - Parameters:
  ///   - directory: the peer's directory. It must not exist, nor the one with the suffix `-images`,
  ///     which is for images and their peer.
  package init(_ feed: Feed, peerDirectory directory: String) {
    self.feed = feed
    self.directory = directory
  }

  /// Runs everything.
  ///
  /// - Parameter isCancelled: called between rounds; true ends the run.
  /// - Throws: `notFound`, `damaged`; `misuse` for a feed without a record that can be looked up;
  ///   `cancelled`.
  package func run(
    isCancelled: () -> Bool = { false }
  ) throws(StoreError) -> Result {
    var records = try PeerRecords(of: feed)
    let peer = try ReadPeer(in: directory, holding: &records)
    var result = Result()
    result.kind = feed.description.kind
    result.records = records.entries.count
    result.leftOut = records.entries.count { !$0.is_stored }
    let sumsLeftOut = records.sumsLeftOut()
    let keys = try LookupKeys.chosen(
      min(Self.lookups, result.records - result.leftOut), from: records)
    records = PeerRecords()
    for _ in 0..<25 {
      if isCancelled() { throw cancelled }
      try lookUp(keys, peer, &result)
    }
    for _ in 0..<15 {
      if isCancelled() { throw cancelled }
      let keyScan = try scan(peer, wholeRecords: false, sumsLeftOut.keys)
      let recordScan = try scan(peer, wholeRecords: true, sumsLeftOut.records)
      let (count, stored) = (Double(result.records), Double(result.records - result.leftOut))
      result.keyScan.add(ours: keyScan.ours / count, peer: keyScan.peer / stored)
      result.recordScan.add(ours: recordScan.ours / count, peer: recordScan.peer / stored)
    }
    if isCancelled() { throw cancelled }
    result.imageRead = try ImageReadBenchmark(in: directory + "-images").run()
    return result
  }

  // MARK: Lookups

  private func lookUp(
    _ keys: (existing: LookupKeys, missing: LookupKeys), _ peer: ReadPeer, _ result: inout Result
  ) throws(StoreError) {
    let ours = try ThreadTime.measure { () throws(StoreError) in try lookUp(keys.existing) }
    let each = try ThreadTime.measure { () throws(StoreError) in
      try peer.lookUp(keys.existing, renews: true)
    }
    let all = try ThreadTime.measure { () throws(StoreError) in
      try peer.lookUp(keys.existing, renews: false)
    }
    let ourMisses = try ThreadTime.measure { () throws(StoreError) in try lookUp(keys.missing) }
    let misses = try ThreadTime.measure { () throws(StoreError) in
      try peer.lookUp(keys.missing, renews: true)
    }
    guard ours.value == each.value, ours.value == all.value, ourMisses.value == misses.value else {
      throw disagreement
    }
    let count = Double(keys.existing.ends.count)
    result.lookup.add(ours: ours.seconds / count, peer: each.seconds / count)
    result.lookupInOneSnapshot.add(ours: ours.seconds / count, peer: all.seconds / count)
    result.miss.add(ours: ourMisses.seconds / count, peer: misses.seconds / count)
  }

  /// Copies every record with one of the keys; returns the number of bytes.
  private func lookUp(_ keys: LookupKeys) throws(StoreError) -> Int {
    var count = 0
    var copy = [UInt8](repeating: 0, count: 1 << 16)
    try keys.forEachKey { key throws(StoreError) in
      _ = try feed.lookUp(key) { record, _ throws(StoreError) in
        let size = record.bytes.byteCount
        if size > copy.count { copy = [UInt8](repeating: 0, count: size) }
        copy.withUnsafeMutableBytes { copy in
          record.bytes.withUnsafeBytes { copy.copyMemory(from: $0) }
        }
        count += size
        return true
      }
    }
    return count
  }

  // MARK: Scans

  private func scan(
    _ peer: ReadPeer, wholeRecords: Bool, _ leftOut: UInt64
  ) throws(StoreError) -> (ours: Double, peer: Double) {
    let ours = try ThreadTime.measure { () throws(StoreError) in
      try wholeRecords ? sumOfRecords() : sumOfKeys()
    }
    let peer = try ThreadTime.measure { () throws(StoreError) in
      try peer.scan(wholeRecords: wholeRecords)
    }
    guard ours.value == peer.value &+ leftOut else { throw disagreement }
    return (ours.seconds, peer.seconds)
  }

  private func sumOfRecords() throws(StoreError) -> UInt64 {
    var sum: UInt64 = 0
    try feed.scan { record, _ throws(StoreError) in
      sum &+= Self.sum(record.bytes)
      return true
    }
    return sum
  }

  private func sumOfKeys() throws(StoreError) -> UInt64 {
    var sum: UInt64 = 0
    let (layout, keyField) = (feed.description.layout, feed.description.keyField)
    guard let location = layout.location(of: keyField),
      let type = layout.fields.first(where: { $0.id == keyField })?.type
    else { return sum }
    try feed.scan { record, _ throws(StoreError) in
      do throws(RecordError) {
        if type == .uuid {
          if let key = try record.uuid(location) {
            sum &+= key.high.byteSwapped &+ key.low.byteSwapped
          }
        } else if let key = try record.rawText(location) {
          sum &+= Self.sum(key)
        }
      } catch {
        throw StoreError(.damaged, error.message)
      }
      return true
    }
    return sum
  }

  private static func sum(_ bytes: RawSpan) -> UInt64 {
    bytes.withUnsafeBytes { feedpeer_sum($0.baseAddress, $0.count) }
  }

  private var cancelled: StoreError { StoreError(.cancelled, "the measurement was cancelled") }

  private var disagreement: StoreError {
    StoreError(
      .damaged, "the feed and the peer do not hold the same records", path: directory)
  }
}
