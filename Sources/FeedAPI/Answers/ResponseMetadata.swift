public import FeedSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a response states about its content, for a caller that stores the content.
public struct ResponseMetadata: Sendable, Hashable {
  /// The validators for the next request.
  public var validators: ResponseValidators
  /// When the head of the response arrived.
  public var receivedAt: Date
  /// Seconds from ``receivedAt`` for which the content is fresh according to the service:
  /// `max-age`, else `Expires`, less the age of the response (RFC 9111, section 4.2). Nil if the
  /// service does not state it; 0 or less if it requires revalidation for each use.
  public var remainingFreshness: TimeInterval?
  /// True if the content should not be stored (`no-store`).
  public var isNotToBeStored: Bool
  /// The media type, such as `application/json`, in lower case and without its parameters.
  public var mediaType: String?

  /// Makes metadata.
  public init(
    validators: ResponseValidators = ResponseValidators(), receivedAt: Date,
    remainingFreshness: TimeInterval? = nil, isNotToBeStored: Bool = false,
    mediaType: String? = nil
  ) {
    self.validators = validators
    self.receivedAt = receivedAt
    self.remainingFreshness = remainingFreshness
    self.isNotToBeStored = isNotToBeStored
    self.mediaType = mediaType
  }

  /// True if the content is still fresh at a date, according to the service.
  public func isFresh(at date: Date) -> Bool {
    guard let remainingFreshness else { return false }
    return date.timeIntervalSince(receivedAt) < remainingFreshness
  }
}

extension ResponseMetadata {
  init(_ fields: FeedHTTPFields, receivedAt: Date) {
    let directives = CacheDirectives(fields)
    var freshness = directives.lifetime ?? Self.lifetimeByExpiry(fields, receivedAt)
    // If there are several ages, the first counts (RFC 9111, section 5.1).
    if let age = fields.list("Age").first.flatMap({ Int($0) }), age > 0 {
      freshness? -= Double(age)
    }
    if directives.isToBeRevalidated { freshness = 0 }
    self.init(
      validators: ResponseValidators(fields), receivedAt: receivedAt,
      remainingFreshness: freshness, isNotToBeStored: directives.isNotToBeStored,
      mediaType: fields["Content-Type"].flatMap(Self.mediaType))
  }

  // An invalid date means that the content has already expired (RFC 9111, section 5.3).
  private static func lifetimeByExpiry(_ fields: FeedHTTPFields, _ receivedAt: Date)
    -> TimeInterval?
  {
    guard let text = fields["Expires"] else { return nil }
    guard let expiry = HTTPDate.parse(text) else { return 0 }
    let sentAt = fields["Date"].flatMap(HTTPDate.parse) ?? receivedAt
    return expiry.timeIntervalSince(sentAt)
  }

  private static func mediaType(_ field: String) -> String? {
    field.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() }
  }
}

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111, section 5.2.2).
private struct CacheDirectives {
  var lifetime: TimeInterval?
  var isToBeRevalidated = false
  var isNotToBeStored = false

  init(_ fields: FeedHTTPFields) {
    for directive in fields.list("Cache-Control") {
      let name = directive.prefix { $0 != "=" }
      let value = directive[name.endIndex...].dropFirst()
      switch name.lowercased() {
      // If there are several, the first counts (RFC 9111, section 4.2.1).
      case "max-age" where name.endIndex != directive.endIndex:
        lifetime = lifetime ?? Self.seconds(value)
      case "no-cache": isToBeRevalidated = true
      case "no-store": isNotToBeStored = true
      default: break
      }
    }
  }

  // A number that is too large is clamped (RFC 9111, section 1.2.2). Text that is not a number
  // means expired (section 4.2.1).
  private static func seconds(_ text: Substring) -> TimeInterval {
    let digits = text.filter { $0 != "\"" }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return 0 }
    return Double(min(Int(digits) ?? .max, 1 << 31))
  }
}
