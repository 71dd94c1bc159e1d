#if Server
  import NIOCore
  import RESPWire

  /// The result of a login that is answered after a delay.
  struct RESPLogin {
    let result: LoginThrottle.Verdict.Result
    /// The identity that was accepted.
    let identity: Credentials.Identity?
    /// The number of replacements of the credentials when they were verified.
    let verifiedAfter: Int
  }

  // `AUTH`, and the credentials of `HELLO`.
  extension RESPConnection {
    func answerAuth(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard request.count <= 3 else { return fail("ERR syntax error") }
      guard worker.context.authenticator.credentials.value != nil else {
        return fail(
          "ERR AUTH <password> called without any password configured for the default user."
            + " Are you sure your configuration is correct?")
      }
      let isNamed = request.count == 3
      if let outcome = logIn(
        name: isNamed ? request.copy(1) : nil, password: request.copy(isNamed ? 2 : 1))
      {
        return outcome
      }
      output.simple("OK")
      return .answered
    }

    /// Admits the client if name and password are right, or a token. A token is the password of the
    /// user `default`.
    ///
    /// The answer to a wrong attempt is delayed. Until then the connection does not continue.
    ///
    /// - Returns: the outcome of the command if the client is not admitted
    func logIn(name: [UInt8]?, password: [UInt8]) -> RESPOutcome? {
      if let login {
        self.login = nil
        return finish(login)
      }
      let authenticator = worker.context.authenticator
      let verifiedAfter = authenticator.credentials.replacementCount
      guard authenticator.credentials.value != nil else { return nil }
      var identities: [Credentials.Identity?] = []
      if name == nil || name == Array("default".utf8) {
        identities.append(Credentials.Identity(token: password))
      }
      if let name {
        identities.append(
          Credentials.Identity(nameAndPassword: name + [UInt8(ascii: ":")] + password))
      }
      let decision = authenticator.decide(
        about: identities.compactMap(\.self), from: ClientAddress(context?.remoteAddress),
        afterFailures: failedLogins)
      let login = RESPLogin(
        result: decision.verdict.result, identity: decision.identity,
        verifiedAfter: verifiedAfter)
      guard decision.verdict.delay > .zero else { return finish(login) }
      self.login = login
      waitForLogin(decision.verdict.delay)
      return .unfinished
    }

    private func finish(_ login: RESPLogin) -> RESPOutcome? {
      switch login.result {
      case .accepted:
        client.isAdmitted = true
        client.identity = login.identity
        client.verifiedAfter = login.verifiedAfter
        failedLogins = 0
        return nil
      case .wrong:
        failedLogins += 1
        worker.refuse(.unauthorized)
        return fail("WRONGPASS invalid username-password pair or user is disabled.")
      case .tooMany:
        failedLogins += 1
        worker.refuse(.tooManyLogins)
        return fail("ERR too many failed logins from this address; try again in some seconds")
      }
    }

    /// Whether the client is not admitted, or would be admitted by the present credentials, too.
    var isStillAdmitted: Bool {
      let credentials = worker.context.authenticator.credentials
      let count = credentials.replacementCount
      guard client.isAdmitted, client.verifiedAfter != count else { return true }
      client.verifiedAfter = count
      return client.identity.map { credentials.admit($0) } ?? true
    }
  }
#endif
