import FeedAPI
import FeedRecord

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedSource {
  /// The origin in the database of a feed that this source appends to instead of replacing it.
  ///
  /// A feed with additions holds more than the service has, so a "not modified" response does not
  /// confirm it. No other origin has a fragment, which is never sent to a service.
  var originOfAddition: String { origin + "#added" }

  /// The origin in the database, which shows whether a cached feed came from the same URL. It is
  /// the URL without its credentials, with a hash in place of its query. The query may be a key and
  /// must not be stored or shown.
  ///
  /// The hash has 32 bits, so it reveals at most 32 bits of a key.
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
