import FeedRecord

/// A validator of a representation (RFC 9110, section 8.8.3).
struct EntityTag: Sendable, Hashable {
  /// The text between the quotes.
  let opaque: String
  let isWeak: Bool

  init(_ opaque: String, isWeak: Bool = false) {
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// The tag in the form of a field value.
  var field: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

  /// The comparison for If-None-Match.
  func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

  /// The comparison for ranges and If-Match.
  func isStronglyEqual(to other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque == other.opaque
  }
}

/// The value of If-Match or If-None-Match: any representation, or one of a list.
enum EntityTagList: Sendable, Hashable {
  case any
  case tags([EntityTag])

  /// Parses a list; parsing stops at an invalid tag.
  init(_ field: String) {
    var rest = Substring(field).drop { $0 == " " || $0 == "\t" }
    if rest.first == "*" {
      self = .any
      return
    }
    var tags: [EntityTag] = []
    while true {
      rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
      let isWeak = rest.hasPrefix("W/")
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.first == "\"" else { break }
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "\"") else { break }
      tags.append(EntityTag(String(rest[..<end]), isWeak: isWeak))
      rest = rest[rest.index(after: end)...]
    }
    self = .tags(tags)
  }

  func contains(where isWanted: (EntityTag) -> Bool) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains(where: isWanted)
    }
  }
}

/// The entity tags of small documents that belong to no generation.
enum ContentTag {
  /// Distinguishes a document from any other, except for a collision in 2^64.
  static func text(_ bytes: [UInt8]) -> String {
    String(KeyHash.hash(bytes.span.bytes), radix: 36)
  }
}
