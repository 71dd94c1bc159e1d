#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A link to a page of the web.
public struct WebLink: Sendable, Hashable {
  /// What the link says.
  public let title: String
  /// Where it leads; nil if the feed has no address of the web here, so that only the title is
  /// shown. Feeds come from elsewhere: a `javascript:` among them must not become a link.
  public let url: URL?

  /// Makes a link, which leads to the address if that is one of `http` or `https`.
  public init(title: String, address: String) {
    self.title = title
    url = URL(string: address).flatMap { url in
      let scheme = url.scheme?.lowercased()
      let isOfTheWeb = scheme == "http" || scheme == "https"
      return isOfTheWeb && url.host?.isEmpty == false ? url : nil
    }
  }

  /// Makes a link that says its address.
  public init(_ address: String) { self.init(title: address, address: address) }
}
