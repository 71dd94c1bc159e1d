#if Server
  import Synchronization

  /// Decides whether clients of any protocol are admitted by the credentials that they present.
  struct Authenticator: Sendable {
    /// The decision about one attempt.
    struct Decision {
      /// The result, and how long to wait before the answer.
      let verdict: LoginThrottle.Verdict
      /// The identity with right credentials; nil if there is none.
      let identity: Credentials.Identity?
    }

    let credentials: CurrentCredentials
    /// Limits the guesses of credentials over all protocols.
    let throttle = LoginThrottle()

    /// Decides about an attempt. The caller sends the answer after the delay of the verdict.
    ///
    /// - Parameters:
    ///   - identities: the identities that the attempt may present; one of them must be right
    ///   - failures: the number of the connection's failures since its last success
    func decide(
      about identities: [Credentials.Identity], from address: ClientAddress,
      afterFailures failures: Int
    ) -> Decision {
      let identity = identities.first { credentials.admit($0) }
      let verdict = throttle.judge(
        from: address, afterFailures: failures, isRight: identity != nil)
      return Decision(verdict: verdict, identity: identity)
    }
  }

  /// The credentials that a server accepts at present. They can be replaced while it serves.
  final class CurrentCredentials: Sendable {
    private let credentials: Mutex<Credentials?>
    private let replacements = Atomic(0)

    init(_ credentials: Credentials?) { self.credentials = Mutex(credentials) }

    /// The accepted credentials; nil if clients need none. Whether clients need some never changes.
    var value: Credentials? { credentials.withLock { $0 } }

    /// Whether clients with an identity are accepted at present.
    func admit(_ identity: Credentials.Identity) -> Bool { value?.admit(identity) ?? true }

    func replace(_ credentials: Credentials) {
      self.credentials.withLock { $0 = credentials }
      replacements.add(1, ordering: .releasing)
    }

    /// How often the credentials were replaced. A connection that was admitted before the last
    /// replacement must be verified again.
    var replacementCount: Int { replacements.load(ordering: .acquiring) }
  }
#endif
