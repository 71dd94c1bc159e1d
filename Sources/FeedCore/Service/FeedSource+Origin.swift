import FeedAPI
import FeedRecord

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedSource {
  /// What the database calls the source of a feed that this one adds to, instead of replacing it.
  ///
  /// What was added to is more than what the service has: where it says that nothing has changed, it
  /// does not speak of that. No service sees a fragment, and no other origin has one.
  var originOfAddition: String { origin + "#added" }

  /// What the database calls the source, by which it is seen whether a cached feed came from the
  /// same URL: the URL without its credentials, and a hash in place of its query, which may be a
  /// key to the service and must not be kept or shown.
  ///
  /// The hash has 32 bits, so that of a key no more than these can be learned.
  var origin: String {
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    guard let query = parts.map({ $0.percentEncodedQuery }) ?? url.absoluteString else {
      return resource.name
    }
    let bytes = Array(query.utf8)
    let digits = String(UInt32(truncatingIfNeeded: KeyHash.hash(bytes.span.bytes)), radix: 16)
    let padding = String(repeating: "0", count: 8 - digits.count)
    return "\(resource.name)?query-\(padding)\(digits)"
  }
}
