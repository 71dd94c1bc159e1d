import FeedPayloads
import FeedRecord

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The text under which an image is kept.
package enum ImageURL {
  /// A URL of a payload as Foundation's `URL` writes it, by which images are fetched and kept: it
  /// escapes brackets and number signs where they may not stand. A text that is no URL stays as it
  /// is.
  package static func text(_ given: String) -> String {
    let bytes = given.utf8
    let text = bytes.span.bytes
    guard !URLText.isPlainHTTP(text), URLText.isAbsolute(text) else { return given }
    return URL(string: given)?.absoluteString ?? given
  }

  /// The same with the bytes of a record. Costs nothing for most URLs.
  static func withText(of given: RawSpan, _ body: (RawSpan) -> Void) {
    if URLText.isPlainHTTP(given) { return body(given) }
    let text = text(given.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }).utf8
    body(text.span.bytes)
  }
}
