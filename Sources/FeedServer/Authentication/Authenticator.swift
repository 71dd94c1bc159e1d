#if Server
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
    ///   - identities: what the attempt may mean; one of them has to be right
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
#endif
