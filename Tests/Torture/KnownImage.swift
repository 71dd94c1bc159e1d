import FeedCore
import FeedStorage
import TestSupport

/// An image that can be recognized anywhere. All of its bytes follow from its tag and its size,
/// which its media type names.
struct KnownImage: Hashable, Sendable, CustomStringConvertible {
  let tag: Int
  let count: Int

  init(tag: Int, count: Int) {
    self.tag = tag
    self.count = count
  }

  /// `tag:count`
  var description: String { "\(tag):\(count)" }

  init?(_ text: some StringProtocol) {
    let numbers = text.split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2, numbers[1] >= 0 else { return nil }
    self.init(tag: numbers[0], count: numbers[1])
  }

  var bytes: [UInt8] {
    var random = SeededGenerator(seed: UInt64(tag))
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  static func url(_ name: String) -> String { "https://example.com/\(name)" }

  /// All images of a store by name, each with verified bytes.
  static func all(_ store: ImageStore) throws -> [String: KnownImage] {
    var descriptions: [ImageDescription] = []
    try store.forEachImage { description in
      descriptions.append(description)
      return true
    }
    var images: [String: KnownImage] = [:]
    for description in descriptions {
      let found = try store.retrieve(description.url)
      guard let image = KnownImage(description.metadata.contentType ?? ""),
        let name = description.url.split(separator: "/").last,
        description.url == url(String(name)), found?.bytes == image.bytes
      else {
        throw TortureFailure("\(description) leads to \(found?.bytes.count ?? -1) other bytes")
      }
      images[String(name)] = image
    }
    return images
  }
}

/// A change of a store's images.
enum ImageChange {
  case put(String, KnownImage, isDurable: Bool)
  case remove(String)

  /// Small enough that a few large images fill the store.
  static let byteCap = 1 << 20

  /// Whether the change survives a power cut.
  var isDurable: Bool {
    if case .put(_, _, let isDurable) = self { isDurable } else { false }
  }

  func perform(in directory: String) throws {
    let store = try ImageStore.open(
      at: directory,
      options: ImageStore.Options(
        durability: isDurable ? .full : .cache, byteCap: Self.byteCap))
    switch self {
    case .put(let name, let image, _):
      try store.insert(
        image.bytes.span.bytes, for: KnownImage.url(name), ImageMetadata(contentType: "\(image)"))
    case .remove(let name):
      try demand(try store.remove(KnownImage.url(name)), "there is no \(name) to remove")
    }
  }

  /// The arguments for a process that makes the change.
  var words: [String] {
    switch self {
    case .put(let name, let image, let isDurable): [name, "\(image)", isDurable ? "full" : "cache"]
    case .remove(let name): [name]
    }
  }

  init?(_ words: [String]) {
    if words.count == 1 {
      self = .remove(words[0])
    } else {
      guard words.count == 3, let image = KnownImage(words[1]) else { return nil }
      self = .put(words[0], image, isDurable: words[2] == "full")
    }
  }

  /// Whether a store may have these images after the change, which may evict other images.
  func isDone(_ found: [String: KnownImage], from before: [String: KnownImage]) -> Bool {
    let others = { (images: [String: KnownImage], name: String) in
      images.filter { $0.key != name }
    }
    switch self {
    case .put(let name, let image, _):
      return found[name] == image
        && others(found, name).allSatisfy { before[$0.key] == $0.value }
    case .remove(let name):
      return found == others(before, name)
    }
  }
}
