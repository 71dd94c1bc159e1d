import FeedRecord

#if Server
  import FeedAPI
  import HTTPTypes

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
#endif

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

#if Server
  // The conditions of a request: whether the client has the representation already.
  extension APIRequest {
    enum Outcome {
      case proceed
      case notModified
      case failed
    }

    /// Evaluates the conditions of the request in the order of RFC 9110, section 13.2.2.
    func outcome(_ tag: EntityTag?, modified: Double?) -> Outcome {
      if let field = fields.all(.ifMatch) {
        let matches = EntityTagList(field).contains { one in
          tag.map(one.isStronglyEqual) ?? false
        }
        if !matches { return .failed }
      } else if let field = fields[.ifUnmodifiedSince], let since = HTTPDate.parse(field),
        let modified, modified.rounded(.down) > since.timeIntervalSinceReferenceDate
      {
        return .failed
      }
      if let field = fields.all(.ifNoneMatch) {
        let matches = EntityTagList(field).contains { one in tag.map(one.isWeaklyEqual) ?? false }
        return matches ? .notModified : .proceed
      }
      // A payload with an older date may have replaced the one that the client has.
      if let field = fields[.ifModifiedSince], let since = HTTPDate.parse(field), let modified,
        modified.rounded(.down) == since.timeIntervalSinceReferenceDate
      {
        return .notModified
      }
      return .proceed
    }
  }
#endif

/// The entity tags of small documents that belong to no generation.
enum ContentTag {
  /// Distinguishes a document from any other, except for a collision in 2^64.
  static func text(_ bytes: [UInt8]) -> String {
    String(KeyHash.hash(bytes.span.bytes), radix: 36)
  }
}
