import FeedPresentation
import URLEscaping

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture, which this server delivers.
struct PictureView: Sendable, Hashable {
  let address: String
  /// The text for a screen reader; empty if it would repeat the text next to the picture.
  let alternative: String

  /// Nil if the URL is not a web address.
  ///
  /// - Parameter base: the URL of the feed, which a relative URL is resolved against.
  init?(_ url: URL, relativeTo base: URL?, alternative: String) {
    guard let url = URL(escaping: url.relativeString, relativeTo: base)?.absoluteHTTP else {
      return nil
    }
    address = "/images?url=" + url.absoluteString.queryEscaped
    self.alternative = alternative
  }
}

/// A text, with or without a link.
struct LinkView: Sendable, Hashable {
  let title: String
  let address: String?

  init(title: String, address: PageAddress? = nil) {
    self.title = title
    self.address = address?.text
  }

  init(_ link: WebLink) {
    title = link.title
    address = link.url?.absoluteString
  }
}

/// A field and its values.
struct FieldView: Sendable, Hashable {
  let label: String
  let values: [LinkView]

  init(label: String, values: [LinkView]) {
    self.label = label
    self.values = values
  }

  init(_ field: LabelledText) {
    self.init(label: field.label, values: [LinkView(title: field.value)])
  }
}
