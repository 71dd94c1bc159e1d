#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedHTTPFields {
  /// About a century. Longer waits are reduced to it.
  private static let maximumSeconds = 3e9

  /// How long the service asks to wait (RFC 9110, section 10.2.3); nil without a valid
  /// `Retry-After`. A date in the past is no wait.
  var retryAfter: Duration? {
    guard let text = self["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .seconds(min(Double(text) ?? Self.maximumSeconds, Self.maximumSeconds))
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    return .seconds(min(max(date.timeIntervalSinceNow, 0), Self.maximumSeconds))
  }
}
