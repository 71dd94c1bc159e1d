#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The kind of URL that a text is.
package enum URLShape: Sendable {
  /// It has a scheme, and a host if that is http or https (RFC 9110, section 4.2).
  case absolute
  /// It is resolved against another URL, such as `//host/a.jpg`, `/a.jpg` and `a.jpg` (RFC 3986,
  /// section 4.2).
  case relative
  /// It has the form of a URL but cannot be requested: http or https without a host.
  case hostless
  /// It is not a URL: `URL(string:)` is nil, and the apps' decoders refuse it.
  case invalid

  package init(of text: String) {
    guard let url = URL(escaping: text) else {
      self = .invalid
      return
    }
    switch url.scheme?.lowercased() {
    case nil: self = .relative
    case "http", "https", "": self = url.host()?.isEmpty == false ? .absolute : .hostless
    default: self = .absolute
    }
  }
}

/// The numbers of optional URLs that are not absolute.
package struct OddURLCounts: Sendable, Hashable {
  /// The number of URLs that can be requested only if the URL of their feed is known.
  package var relative = 0
  /// The number of URLs that can never be requested.
  package var unusable = 0

  package init() {}

  /// Adds a URL of this shape.
  package mutating func add(_ shape: URLShape) {
    switch shape {
    case .absolute: break
    case .relative: relative += 1
    case .hostless, .invalid: unusable += 1
    }
  }

  /// The number of URLs that cannot be requested.
  ///
  /// - Parameter hasBase: whether relative ones can be resolved.
  package func unusable(withBase hasBase: Bool) -> Int {
    hasBase ? unusable : unusable + relative
  }
}
