import FeedRecord
import FeedSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The normalised URL under which an image is stored.
package enum ImageURL {
  /// A URL of a payload in the form of Foundation's `URL`, under which images are fetched and
  /// stored. It escapes brackets and number signs in places where they are not allowed. A text that
  /// is not a URL is returned unchanged.
  package static func text(_ given: String) -> String {
    let bytes = given.utf8
    let text = bytes.span.bytes
    guard !URLText.isPlainHTTP(text), URLText.isAbsolute(text) else { return given }
    return URL(string: given)?.absoluteString ?? given
  }

  /// Does the same with the bytes of a record. Costs nothing for most URLs.
  static func withText(of given: RawSpan, _ body: (RawSpan) -> Void) {
    if URLText.isPlainHTTP(given) { return body(given) }
    let text = text(given.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }).utf8
    body(text.span.bytes)
  }
}
