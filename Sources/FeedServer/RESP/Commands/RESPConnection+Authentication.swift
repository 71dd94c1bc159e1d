#if Server
  import NIOCore
  import RESPWire

  // `AUTH`, and the credentials of `HELLO`.
  extension RESPConnection {
    func answerAuth(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard request.count <= 3 else { return fail("ERR syntax error") }
      guard worker.context.configuration.credentials != nil else {
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
      guard let credentials = worker.context.configuration.credentials else { return nil }
      if let login {
        self.login = nil
        return finish(login)
      }
      let isToken = name == nil || name == Array("default".utf8)
      var isRight = isToken && credentials.admit(token: password)
      if let name {
        let pair = name + [UInt8(ascii: ":")] + password
        isRight = credentials.admit(nameAndPassword: pair) || isRight
      }
      let verdict = worker.context.logins.judge(
        from: ClientAddress(context?.remoteAddress), afterFailures: failedLogins, isRight: isRight)
      guard verdict.delay > .zero else { return finish(verdict.result) }
      login = verdict.result
      waitForLogin(verdict.delay)
      return .unfinished
    }

    private func finish(_ login: LoginThrottle.Verdict.Result) -> RESPOutcome? {
      switch login {
      case .accepted:
        client.isAdmitted = true
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
  }
#endif
