import URLEscaping

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A link to a web page.
public struct WebLink: Sendable, Hashable {
  /// The text of the link.
  public let title: String
  /// The target; nil if the feed has no web address here, so that only the title is shown. Feeds
  /// are untrusted: a `javascript:` URL in a feed must not become a link.
  public let url: URL?

  /// Makes a link whose target is the address if its scheme is `http` or `https`.
  public init(title: String, address: String) {
    self.title = title
    url = URL(escaping: address)?.absoluteHTTP
  }

  /// Makes a link with its address as text.
  public init(_ address: String) { self.init(title: address, address: address) }
}

/// A value with a label, such as "Country" and "Greece".
public struct LabelledText: Sendable, Hashable {
  /// The label, in the language of the view.
  public let label: String
  /// The value of the feed, translated if there is a translation.
  public let value: String
}
