import FeedRecord
import FeedStorage
import FeedTools

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Fills an image store many times with images of mixed sizes, by a trace with favourites. It
/// verifies that file size, memory and hit ratio stay within their bounds.
package enum ImageSoak {
  /// A bound that was broken.
  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - capBytes: the store's cap
  ///   - multiple: how many caps are written
  ///   - inMemory: true to write where synchronising costs nothing
  ///   - memoryBound: the maximum anonymous memory of the process
  ///   - actualCap: the cap that the store gets instead, to test the verification of the bounds
  /// - Returns: a line with figures
  /// - Throws: ``Broken`` if a bound is broken, or an error of the store
  package static func run(
    capBytes: Int, multiple: Int, seed: UInt64, inMemory: Bool = false,
    memoryBound: Int = 64 << 20, actualCap: Int? = nil
  ) throws -> String {
    let directory = try TemporaryDirectory(inMemory: inMemory)
    let store = try ImageStore.open(
      at: directory.path, options: ImageStore.Options(byteCap: actualCap ?? capBytes))
    let images = SoakImages(seed: seed)
    // About ten times as many objects as fit.
    var trace = ZipfTrace(objects: max(1_000, capBytes / (15 << 10)), seed: seed)
    var exact = ExactClock(capacity: capBytes)
    var figures = Figures()
    while figures.written < multiple * capBytes {
      let object = trace.next()
      let image = images.image(object)
      figures.requests += 1
      exact.request(object, cost: SoakImages.cost(image.count))
      if try deliver(store, images.url(object), image) {
        figures.hits += 1
        continue
      }
      try store.insert(image.span.bytes, for: images.url(object))
      figures.written += image.count
      if figures.requests.isMultiple(of: 16) { figures.sample(try store.statistics()) }
    }
    figures.sample(try store.statistics())
    figures.exactHits = exact.hits
    try figures.verify(capBytes: capBytes, memoryBound: memoryBound)
    guard try store.check() == [] else {
      throw Broken(description: "\(try store.check()); \(figures.line)")
    }
    return figures.line
  }

  private static func deliver(
    _ store: ImageStore, _ url: String, _ image: ArraySlice<UInt8>
  ) throws -> Bool {
    let isSame = try store.withImageData(for: url) { chunks throws(StoreError) in
      let wanted = image.span.bytes
      var place = 0
      while let piece = try chunks.next() {
        guard place + piece.byteCount <= wanted.byteCount,
          piece.hasSameBytes(as: wanted.extracting(place..<place + piece.byteCount))
        else { return false }
        place += piece.byteCount
      }
      return place == wanted.byteCount
    }
    if isSame == false { throw Broken(description: "\(url): another image was served") }
    return isSame != nil
  }

  /// The largest run of pages that the store asks LMDB for.
  private static let largestValue = 65 * 4096

  private struct Figures {
    var requests = 0
    var hits = 0
    var exactHits = 0
    var written = 0
    private var occupied = 0
    private var file = 0
    private var memory = ProcessMemory()

    mutating func sample(_ statistics: ImageStatistics) {
      occupied = max(occupied, statistics.occupiedBytes)
      file = max(file, statistics.fileBytes)
      memory.sample()
    }

    func verify(capBytes: Int, memoryBound: Int) throws(Broken) {
      let largestFile = capBytes + capBytes * 15 / 100 + largestValue
      let difference = abs(Double(hits) / Double(max(exactHits, 1)) - 1)
      let isBroken =
        occupied > capBytes
        ? "the images occupy more than the cap"
        : file > largestFile
          ? "the file is larger than \(largestFile) bytes"
          : memory.peak > memoryBound
            ? "the memory is over \(memoryBound) bytes"
            : difference > 0.03 ? "the hits are not those of a clock" : nil
      if let isBroken { throw Broken(description: "\(isBroken): \(line)") }
    }

    var line: String {
      "\(requests) requests, \(hits) hits (exact clock \(exactHits)), \(written) bytes written,"
        + " at most \(occupied) occupied, \(file) in the file, \(memory.peak) anonymous"
    }
  }
}

/// Images of 1 KiB to 1 MiB, as many small ones as large ones, each always the same.
private struct SoakImages {
  static let largest = 1 << 20
  private let seed: UInt64
  private let noise: [UInt8]

  init(seed: UInt64) {
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    var noise: [UInt8] = []
    while noise.count < 2 * Self.largest {
      withUnsafeBytes(of: generator.next()) { noise.append(contentsOf: $0) }
    }
    self.noise = noise
  }

  func url(_ object: Int) -> String { "https://example.com/images/\(object).jpeg" }

  func image(_ object: Int) -> ArraySlice<UInt8> {
    var generator = SeededGenerator(seed: seed ^ UInt64(clamping: object) << 20)
    let count = Int(exp2(Double.random(in: 10...20, using: &generator)))
    let start = Int.random(in: 0..<Self.largest, using: &generator)
    return noise[start..<start + count]
  }

  /// What an image occupies: its pages and a row.
  static func cost(_ count: Int) -> Int { (count + 16 + 4095) / 4096 * 4096 + 300 }
}
