/// Sends a request again after a failure that may be temporary.
///
/// GET is idempotent, so each request may be sent again (RFC 9110, section 9.2.2). Retries end with
/// the head of a response: a failure while the body is read goes to the reader.
public struct RetryingHTTPClient: FeedHTTPClient {
  private let decoratee: any FeedHTTPClient
  private let policy: RetryPolicy
  private let sleep: @Sendable (Duration) async throws -> Void
  private let random: @Sendable (ClosedRange<Double>) -> Double

  /// Makes a client that wraps another one and retries by the policy.
  public init(_ decoratee: any FeedHTTPClient, policy: RetryPolicy = RetryPolicy()) {
    self.init(
      decoratee, policy: policy, sleep: { try await Task.sleep(for: $0) },
      random: { Double.random(in: $0) })
  }

  /// - Parameters:
  ///   - sleep: waits; throws `CancellationError` if the task is cancelled.
  ///   - random: returns a number in the range.
  package init(
    _ decoratee: any FeedHTTPClient, policy: RetryPolicy,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    random: @escaping @Sendable (ClosedRange<Double>) -> Double
  ) {
    self.decoratee = decoratee
    self.policy = policy
    self.sleep = sleep
    self.random = random
  }

  public func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    var retry = 0
    while true {
      retry += 1
      let isLast = retry >= policy.attempts
      var delay = policy.delay(before: retry, random: random)
      do {
        let response = try await decoratee.get(request)
        guard !isLast, policy.statuses.contains(response.status),
          let wanted = wait(wantedBy: response)
        else { return response }
        delay = max(delay, wanted)
      } catch let error as TransportError
        where policy.retriesTransportErrors && error.isTransient && !isLast
      {}
      try await sleep(delay)
    }
  }

  /// The wait that the service requests; nil if it is longer than the policy allows.
  private func wait(wantedBy response: FeedHTTPResponse) -> Duration? {
    let wanted = response.fields.retryAfter ?? .zero
    return wanted <= policy.maximumRetryAfter ? wanted : nil
  }
}
