import FeedCore
import FeedRecord
import FeedStorage
import Foundation
import Synchronization
import TestSupport

/// Random operations on an image store and on a dictionary, which must agree. The operations
/// advance the clock.
struct ModelImages {
  enum Operation: CaseIterable {
    case read, contains, list, waitAWhile
    case put, remove, sweep, removeExpired, kill

    /// The frequency among ten thousand operations of a model run.
    var weight: Int {
      switch self {
      case .read: 300
      case .contains: 200
      case .list: 20
      case .waitAWhile: 60
      case .put: 60
      case .remove: 10
      case .sweep: 4
      case .removeExpired: 6
      case .kill: 3
      }
    }
  }

  private struct Image: Equatable {
    let bytes: [UInt8]
    let metadata: ImageMetadata

    init(_ bytes: [UInt8], _ metadata: ImageMetadata) {
      (self.bytes, self.metadata) = (bytes, metadata)
    }

    init(_ image: StoredImage) { self.init(image.bytes, image.description.metadata) }

    func isDescribed(by description: ImageDescription) -> Bool {
      description.metadata == metadata && description.byteCount == bytes.count
        && description.checksum == KeyHash.hash(bytes.span.bytes)
    }
  }

  private final class Clock: Sendable {
    let seconds = Mutex(1_000.0)
  }

  private let directory: String
  private let options: TortureOptions
  private let clock = Clock()
  private var store: ImageStore
  private var model: [String: Image] = [:]
  private var now: Double { clock.seconds.withLock { $0 } }

  init(in directory: String, _ options: TortureOptions) throws {
    self.directory = directory
    self.options = options
    store = try Self.open(directory, clock, options)
  }

  /// Reopens the store.
  mutating func reopen() throws { store = try Self.open(directory, clock, options) }

  mutating func perform(_ operation: Operation, _ random: inout SeededGenerator) throws {
    let url = "https://example.com/\(Int.random(in: 0..<60, using: &random)).png"
    switch operation {
    case .read: try read(url)
    case .contains:
      let isThere = try store.contains(url)
      try demand(isThere == (valid(url) != nil), "\(url) is said to be there: \(isThere)")
    case .list: try list()
    case .waitAWhile:
      let seconds = Double.random(in: 0..<4, using: &random)
      clock.seconds.withLock { $0 += seconds }
    case .put: try put(url, &random)
    case .remove:
      let wasThere = try store.remove(url)
      try demand(wasThere == (model.removeValue(forKey: url) != nil), "\(url): \(wasThere)")
    case .sweep:
      let kept = model.keys.filter { _ in Bool.random(using: &random) }
      try compare(try store.sweep(keeping: kept), keeping: Set(kept))
    case .removeExpired: try compare(try store.removeExpired(), keeping: Set(model.keys))
    case .kill: try kill(url, &random)
    }
  }

  /// Verifies that the store agrees with the dictionary.
  func verify() throws {
    try list()
    for url in model.keys { try read(url) }
    let faults = try store.check()
    try demand(faults.isEmpty, "\(faults)")
  }

  // MARK: Reading

  /// The image that the store must return.
  private func valid(_ url: String) -> Image? {
    model[url].flatMap { image in
      if let expiry = image.metadata.expiryReferenceSeconds, expiry <= now { return nil }
      return image
    }
  }

  private func read(_ url: String) throws {
    let (found, expected) = (try store.retrieve(url), valid(url))
    let isRight =
      found.map(Image.init) == expected
      && found.map { expected?.isDescribed(by: $0.description) == true } ?? true
    try demand(
      isRight,
      "\(url) holds \(found.map { "\($0.description)" } ?? "nothing"), in the model"
        + " \(expected.map { "\($0.metadata)" } ?? "nothing"), at \(now)")
  }

  /// Lists all images, including expired ones.
  private func list() throws {
    var wrong: [String] = []
    var count = 0
    try store.forEachImage { image in
      count += 1
      if model[image.url]?.isDescribed(by: image) != true { wrong.append(image.url) }
      return true
    }
    try demand(
      wrong.isEmpty && count == model.count,
      "\(count) images are listed, in the model \(model.count), and not as they are: \(wrong)")
  }

  // MARK: Changing

  private mutating func put(_ url: String, _ random: inout SeededGenerator) throws {
    let bytes = Self.bytes(&random)
    var metadata = ImageMetadata(contentType: "image/png", fetchedReferenceSeconds: now)
    if Bool.random(using: &random) {
      metadata.expiryReferenceSeconds = now + Double.random(in: -1..<20, using: &random)
    }
    try store.insert(bytes.span.bytes, for: url, metadata)
    model[url] = Image(bytes, metadata)
  }

  private mutating func compare(_ report: ImageSweepReport, keeping kept: Set<String>) throws {
    let before = model.count
    let expired = model.keys.filter { valid($0) == nil }
    model = model.filter { kept.contains($0.key) && !expired.contains($0.key) }
    try demand(
      report.expired == expired.count && report.removed == before - model.count
        && report.damaged == 0,
      "\(report), in the model \(before - model.count) and \(expired.count) of them expired")
  }

  /// Kills a process that stores an image. The store has the complete image or the previous one.
  private mutating func kill(_ url: String, _ random: inout SeededGenerator) throws {
    let bytes = Self.bytes(&random)
    let file = directory + "/image"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let process = try options.start(["images", "put", url, file, "--store", directory + "/store"])
    usleep(UInt32.random(in: 0..<40_000, using: &random))
    process.send(SIGKILL)
    _ = process.wait()
    // The command has its own clock, so the model adopts the times that it stores.
    if let found = try store.retrieve(url).map(Image.init), found != valid(url) {
      try demand(found.bytes == bytes, "after a kill \(url) holds what nobody put there")
      model[url] = found
    }
    try read(url)
  }

  /// The bytes of an image, which occasionally has several chunks.
  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    let count =
      Int.random(in: 0..<40, using: &random) == 0
      ? Int.random(in: 200_000..<600_000, using: &random)
      : Int.random(in: 0..<3_000, using: &random)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private static func open(
    _ directory: String, _ clock: Clock, _ options: TortureOptions
  ) throws -> ImageStore {
    var storeOptions = ImageStore.Options()
    // The planted fault: for the store, time stands still.
    let stands = options.fault == ModelTest.standingClock
    storeOptions.now = { stands ? 0 : clock.seconds.withLock { $0 } }
    return try ImageStore.open(at: directory + "/store", options: storeOptions)
  }
}
