import FeedPresentation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture, which this server delivers.
struct PictureView: Sendable, Hashable {
  let address: String
  /// What a screen reader says; empty where it would only repeat what stands beside.
  let alternative: String

  /// Nil for what is no picture of the web.
  init?(_ url: URL, alternative: String) {
    guard let url = WebLink(url.absoluteString).url else { return nil }
    address = "/images?url=" + url.absoluteString.queryEscaped
    self.alternative = alternative
  }
}

/// Words that lead somewhere, or that do not.
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
