import CFeedTools
import FeedSamples
import FeedStorage

/// Measures reading images against C on the same images, each under its URL in one LMDB table.
///
/// Both sides copy each image out. A separate check verifies once that they read the same bytes.
final class ImageReadBenchmark {
  static let imageBytes = 50_000
  private static let images = 400
  private static let rounds = 25

  private let store: ImageStore
  private let peer: ReadPeer
  private let urls: [String]
  private let keys: LookupKeys
  /// The same buffer as the C side's: allocated once, and aligned as by `malloc`.
  private let copy = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ImageReadBenchmark.imageBytes, alignment: 16)

  /// - Parameter directory: the directory of both stores; must not exist.
  init(in directory: String) throws(StoreError) {
    var records = PeerRecords()
    var random = SplitMix64(seed: 7)
    urls = (0..<Self.images).map { "https://example.com/images/\($0).png" }
    store = try ImageStore.open(at: directory + "/ours")
    for url in urls {
      let image = (0..<Self.imageBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      try store.insert(image.span.bytes, for: url)
      records.append(image.span.bytes, under: url.utf8.span.bytes)
    }
    keys = LookupKeys(urls)
    peer = try ReadPeer(in: directory + "/peer", holding: &records)
  }

  deinit { copy.deallocate() }

  func run() throws(StoreError) -> Contest {
    guard try sum() == peer.scan(wholeRecords: true) else { throw disagreement }
    var contest = Contest()
    for _ in 0..<Self.rounds {
      let ours = try ThreadTime.measure { () throws(StoreError) in try copyAll() }
      let theirs = try ThreadTime.measure { () throws(StoreError) in
        try peer.lookUp(keys, renews: true)
      }
      guard ours.value == theirs.value, ours.value == Self.images * Self.imageBytes else {
        throw disagreement
      }
      let count = Double(Self.images)
      contest.add(ours: ours.seconds / count, peer: theirs.seconds / count)
    }
    return contest
  }

  /// Copies every image out of the map; returns the number of bytes.
  private func copyAll() throws(StoreError) -> Int {
    var count = 0
    for url in urls {
      try store.withImageData(for: url) { chunks throws(StoreError) in
        var end = 0
        while let chunk = try chunks.next() {
          guard chunk.byteCount <= copy.count - end else { throw disagreement }
          let target = UnsafeMutableRawBufferPointer(rebasing: copy[end...])
          chunk.withUnsafeBytes { target.copyMemory(from: $0) }
          end += chunk.byteCount
        }
        count += end
      }
    }
    return count
  }

  private func sum() throws(StoreError) -> UInt64 {
    var sum: UInt64 = 0
    for url in urls {
      try store.withImageData(for: url) { chunks throws(StoreError) in
        while let chunk = try chunks.next() {
          sum &+= chunk.withUnsafeBytes { feedpeer_sum($0.baseAddress, $0.count) }
        }
      }
    }
    return sum
  }

  private var disagreement: StoreError {
    StoreError(
      .damaged, "the image store and the peer have different images", path: store.directory)
  }
}
