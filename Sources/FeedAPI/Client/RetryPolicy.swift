/// When and how often a request is sent again.
public struct RetryPolicy: Sendable, Hashable {
  /// Total attempts, including the first.
  public var attempts = 3
  /// The maximum wait before the second attempt. It doubles with each further one.
  public var firstDelay = Duration.milliseconds(250)
  /// The maximum wait before any attempt.
  public var maximumDelay = Duration.seconds(8)
  /// The maximum wait that a service may request (`Retry-After`). A response that requests more is
  /// returned as it is.
  public var maximumRetryAfter = Duration.seconds(30)
  /// Whether a request is sent again if no complete head of a response arrived, such as after a
  /// refused connection.
  public var retriesTransportErrors = true
  /// Statuses after which the same request may succeed later: 429 (RFC 6585), 502, 503, 504.
  public var statuses: Set<Int> = [429, 502, 503, 504]

  /// The defaults: three attempts, waits of up to 250 and 500 ms.
  public init() {}

  /// A random wait from zero to the maximum, so that clients that failed together do not return
  /// together. `retry` counts from 1 for the second attempt.
  func delay(before retry: Int, random: (ClosedRange<Double>) -> Double) -> Duration {
    let doublings = min(max(retry - 1, 0), 32)
    return min(firstDelay * (1 << doublings), maximumDelay) * random(0...1)
  }
}
