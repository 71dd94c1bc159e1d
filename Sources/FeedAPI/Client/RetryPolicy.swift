/// When and how often a request is sent again.
public struct RetryPolicy: Sendable, Hashable {
  /// Attempts in all, the first among them.
  public var attempts = 3
  /// The longest wait before the second attempt. It doubles with each further one.
  public var firstDelay = Duration.milliseconds(250)
  /// The longest wait before any attempt.
  public var maximumDelay = Duration.seconds(8)
  /// The longest wait that a service may ask for (`Retry-After`). A response that asks for more
  /// is not waited for, but given as it is.
  public var maximumRetryAfter = Duration.seconds(30)
  /// Statuses that say that the same request may succeed later: 429 (RFC 6585), 502, 503, 504.
  public var statuses: Set<Int> = [429, 502, 503, 504]

  /// The defaults: three attempts, waits of up to 250 and 500 ms.
  public init() {}

  /// A wait before an attempt, counted from 1 for the second one: anything from none to the
  /// longest, so that clients which failed together do not come back together.
  func delay(before retry: Int, random: (ClosedRange<Double>) -> Double) -> Duration {
    let doublings = min(max(retry - 1, 0), 32)
    return min(firstDelay * (1 << doublings), maximumDelay) * random(0...1)
  }
}
