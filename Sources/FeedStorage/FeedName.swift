import JSONStream

/// The name of a feed: 1 to 64 of `A–Z a–z 0–9 . _ -`, not starting with a dot.
///
/// It needs no escaping in a file name, a URL or a command line.
public struct FeedName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The text of the name.
  public let text: String

  /// - Throws: `invalidName`
  public init(_ text: String) throws(StoreError) {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "."),
      bytes.allSatisfy(Self.isAllowed)
    else {
      throw StoreError(
        .invalidName,
        "a feed's name is 1 to 64 letters, digits, dots, underscores or hyphens of ASCII and does"
          + " not start with a dot")
    }
    self.text = text
  }

  /// The text of a name for the records of a file: its name without extensions, other bytes replaced
  /// by hyphens, at most 64 bytes. Standard input, which is `-`, is called `stdin`.
  package static func text(forFile path: String) -> String {
    if path == "-" { return "stdin" }
    let scalars = path.unicodeScalars
    let address =
      path.contains("://") ? scalars.prefix { $0 != "?" && $0 != "#" } : scalars[...]
    let file = String(address).parts(separatedBy: "/").last ?? ""
    var parts = file.parts(separatedBy: ".", omittingEmpty: false)
    while parts.count > 1, let last = parts.last, extensions.contains(last.lowercased()) {
      parts.removeLast()
    }
    let bytes = parts.joined(separator: ".").utf8.prefix(64).map {
      isAllowed($0) ? $0 : UInt8(ascii: "-")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if text.isEmpty { return "feed" }
    return text.hasPrefix(".") ? "-" + text.dropFirst() : text
  }

  /// The extensions of files with JSON, and of their compressed forms.
  private static let extensions: Set = [
    "json", "ndjson", "jsonl", "jsons", "geojson", "topojson", "json5", "seq", "har", "txt", "gz",
    "zst", "zstd",
  ]

  public var description: String { text }

  public static func < (left: FeedName, right: FeedName) -> Bool { left.text < right.text }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }
}
