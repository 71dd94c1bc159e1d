public import ArgumentParser
public import FeedCore
import FeedSamples
import FeedSchema
import URLEscaping

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A number of bytes in readable form: `500MB`, `2 GiB`, `1048576`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  /// The text in the help if it is the default.
  var defaultValueDescription: String {
    bytes > 0 && bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : "\(bytes)"
  }

  private static let units: [(name: String, bytes: Int)] = [
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
    ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000), ("b", 1),
  ]

  init(_ bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let text = argument.lowercased()
    let unit = Self.units.first { text.hasSuffix($0.name) }
    var digits = text.dropLast(unit?.name.count ?? 0)
    if unit != nil, digits.last == " " { digits.removeLast() }
    guard let number = Int(digits), number >= 0 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}

/// The value of `--policy`: the name of an app's cache policy.
struct PolicyName: ExpressibleByArgument {
  let policy: CachePolicy

  init?(argument: String) {
    guard let policy = CachePolicy.presets[argument] else { return nil }
    self.policy = policy
  }

  static var allValueStrings: [String] { CachePolicy.presets.keys.sorted() }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The value of `--pages`: a number of pages, or `all`.
struct PageCount: ExpressibleByArgument {
  /// The number of pages; `Int.max` for `all`.
  let value: Int

  var defaultValueDescription: String { "\(value)" }

  init(_ value: Int) { self.value = value }

  init?(argument: String) {
    if argument == "all" {
      value = .max
    } else {
      guard let number = Int(argument), number > 0 else { return nil }
      value = number
    }
  }
}

extension PayloadParser.Dates: ExpressibleByArgument {}

/// The value of `--url`: a URL with a host, for HTTP.
struct ServiceURL: ExpressibleByArgument {
  let url: URL

  init?(argument: String) {
    guard let url = URL(escaping: argument)?.absoluteHTTP, 1...65_535 ~= url.port ?? 80 else {
      return nil
    }
    self.url = url
  }
}

/// Checks of paths on the command line.
enum GivenPath {
  /// - Throws: wrong usage if a path is empty, such as `"$FILE"` in a shell without that variable
  static func refuseEmpty(_ paths: [String?], _ name: String) throws {
    guard !paths.contains("") else { throw ValidationError("\(name): the path is empty") }
  }

  /// A path of a store's directory.
  ///
  /// - Throws: exit status 64 for a URL, which would become a directory of that name
  static func directory(_ path: String) throws(Failure) -> String {
    // No regular expression: to compile one takes half a millisecond of every command.
    let colon = URLText.schemeEnd(path.utf8Span.span.bytes)
    if let colon, path.utf8.dropFirst(colon).starts(with: "://".utf8) {
      throw Failure(
        .usage,
        "\(path): the store of this command is a directory; write its path. Other commands also take"
          + " URLs of clusters: redis-cluster:// or redis://")
    }
    return path
  }

  /// - Throws: wrong usage if standard input is given twice; the second time it would be empty
  static func refuseRepeatedInput(_ files: [String]) throws {
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("- is given twice, but standard input can be read once")
    }
  }
}

/// Checks of image URLs on the command line.
enum GivenURL {
  /// - Throws: wrong usage if it is empty, such as `"$URL"` in a shell without that variable
  static func refuseEmpty(_ url: String) throws {
    guard !url.isEmpty else { throw ValidationError("<url>: the URL is empty") }
  }
}

/// How `show` prints records.
enum ShowFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case vertical
  case json
  case ndjson
  case csv
  case tsv
}

/// How `export` writes records.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case json
  case ndjson
  case csv
  case tsv
}

extension SamplePayload.Kind: ExpressibleByArgument {}
extension SamplePayload.Format: ExpressibleByArgument {}
