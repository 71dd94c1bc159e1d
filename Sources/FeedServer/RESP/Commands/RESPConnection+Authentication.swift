#if Server
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
      guard admit(name: isNamed ? request.copy(1) : nil, password: request.copy(isNamed ? 2 : 1))
      else { return failLogin() }
      output.simple("OK")
      return .answered
    }

    func failLogin() -> RESPOutcome {
      worker.refuse(.unauthorized)
      return fail("WRONGPASS invalid username-password pair or user is disabled.")
    }

    /// Admits the client if name and password are right, or a token. A token is the password of the
    /// user `default`.
    func admit(name: [UInt8]?, password: [UInt8]) -> Bool {
      guard let credentials = worker.context.configuration.credentials else { return true }
      let isToken = name == nil || name == Array("default".utf8)
      var isValid = isToken && credentials.admit(token: password)
      if let name {
        let pair = name + [UInt8(ascii: ":")] + password
        isValid = credentials.admit(nameAndPassword: pair) || isValid
      }
      if isValid { client.isAdmitted = true }
      return isValid
    }
  }
#endif
