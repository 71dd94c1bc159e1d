import Synchronization

/// Limits how many credentials clients of one address can guess. All protocols of a server share
/// it.
///
/// While few attempts of an address fail, right credentials are accepted at once and only the
/// answer to a wrong attempt is delayed. After many failures the answers to all attempts of the
/// address are delayed by the same time, so that a client cannot recognize a wrong guess by a
/// missing answer and disconnect early. The number of delayed attempts is limited, too. Other
/// addresses and clients that are already admitted are not affected.
///
/// It counts attempts and does not see credentials. Its memory is bounded.
final class LoginThrottle: Sendable {
  struct Limits: Sendable {
    /// The failures of an address after which all of its attempts are delayed.
    var failures = 10
    /// The time after which one of these failures is forgotten.
    var forgetting = Duration.seconds(1)
    /// The delay of all attempts of an address after too many failures.
    var delay = Duration.seconds(1)
    /// The maximum number of attempts of an address within such a delay.
    var delayedAttempts = 32
    /// The delay of the answer to a connection's first failure. It doubles with each further one.
    var firstFailureDelay = Duration.milliseconds(100)
    var maximumFailureDelay = Duration.seconds(2)
    /// The number of addresses that are remembered at least.
    var addresses = 8_192
  }

  /// What a client is answered, and when.
  struct Verdict: Equatable, Sendable {
    enum Result: Equatable, Sendable {
      case accepted
      case wrong
      /// There were too many attempts, so the credentials were not considered.
      case tooMany
    }

    let result: Result
    /// How long to wait before the answer.
    let delay: Duration
  }

  /// The attempts that an address has left.
  private struct Allowance {
    var failures: Double
    var delayedAttempts: Double
    var updated: ContinuousClock.Instant
  }

  /// The addresses with failures. When `recent` is full, it replaces `older`: this forgets the
  /// addresses without a recent failure in constant time.
  private struct Addresses {
    var recent: [ClientAddress: Allowance] = [:]
    var older: [ClientAddress: Allowance] = [:]
  }

  private let limits: Limits
  private let addresses = Mutex(Addresses())

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Decides about an attempt. The caller sends the answer after the delay.
  ///
  /// - Parameters:
  ///   - failures: the number of the connection's failures since its last success
  ///   - isRight: whether the credentials are right
  func judge(
    from address: ClientAddress, afterFailures failures: Int, isRight: Bool,
    at now: ContinuousClock.Instant = .now
  ) -> Verdict {
    addresses.withLock { addresses in
      var allowance = self.allowance(of: address, in: addresses, at: now)
      if allowance.failures >= 1 {
        if isRight { return Verdict(result: .accepted, delay: .zero) }
        allowance.failures -= 1
        remember(allowance, of: address, in: &addresses)
        return Verdict(result: .wrong, delay: delay(afterFailures: failures))
      }
      guard allowance.delayedAttempts >= 1 else {
        remember(allowance, of: address, in: &addresses)
        return Verdict(result: .tooMany, delay: limits.delay)
      }
      allowance.delayedAttempts -= 1
      remember(allowance, of: address, in: &addresses)
      return isRight
        ? Verdict(result: .accepted, delay: limits.delay)
        : Verdict(result: .wrong, delay: max(limits.delay, delay(afterFailures: failures)))
    }
  }

  private func allowance(
    of address: ClientAddress, in addresses: borrowing Addresses, at now: ContinuousClock.Instant
  ) -> Allowance {
    let (failures, attempts) = (Double(limits.failures), Double(limits.delayedAttempts))
    guard var allowance = addresses.recent[address] ?? addresses.older[address] else {
      return Allowance(failures: failures, delayedAttempts: attempts, updated: now)
    }
    let elapsed = max(now - allowance.updated, .zero)
    allowance.failures = min(failures, allowance.failures + elapsed / limits.forgetting)
    allowance.delayedAttempts = min(
      attempts, allowance.delayedAttempts + attempts * (elapsed / limits.delay))
    allowance.updated = now
    return allowance
  }

  private func remember(
    _ allowance: Allowance, of address: ClientAddress, in addresses: inout Addresses
  ) {
    addresses.recent[address] = allowance
    guard addresses.recent.count >= limits.addresses else { return }
    addresses.older = addresses.recent
    addresses.recent = [:]
  }

  private func delay(afterFailures failures: Int) -> Duration {
    min(limits.firstFailureDelay * (1 << min(max(failures, 0), 16)), limits.maximumFailureDelay)
  }
}
