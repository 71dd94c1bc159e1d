#if Server
  import NIOCore
  import RESPWire

  extension RESPConnection {
    /// Answers a command, or continues its response.
    func answer(_ request: borrowing RESPRequest) -> RESPOutcome {
      let command = CommandName.command(request[0])
      let start = output.buffer.writerIndex
      client.command = command
      let outcome = answer(command, request)
      if outcome != .unfinished {
        // A response that was sent in part was not an error.
        let isError = output.buffer.getInteger(at: start, as: UInt8.self) == UInt8(ascii: "-")
        worker.count(command, isError: isError)
      }
      return outcome
    }

    private func answer(
      _ command: RESPCommand, _ request: borrowing RESPRequest
    ) -> RESPOutcome {
      if command == .unknown {
        abortTransaction()
        return answerUnknown(request)
      }
      let arity = command.description.arity
      guard arity >= 0 ? request.count == arity : request.count >= -arity else {
        return failArity(command)
      }
      guard client.isAdmitted || command.isOpen else {
        worker.refuse(.unauthorized)
        return fail("NOAUTH Authentication required.")
      }
      if transaction != nil, let outcome = queue(command, request) { return outcome }
      switch command {
      case .get, .mget: return answerValues(request, isArray: command == .mget)
      case .exists: return answerExists(request)
      case .ttl, .pttl, .expiretime, .pexpiretime: return answerExpiry(command, request)
      case .type: return answerType(request)
      case .strlen: return answerLength(request)
      case .getrange: return answerRange(request)
      case .scan: return answerScan(request)
      case .ping: return answerPing(request)
      case .echo: output.bulk(request[1].bytes)
      case .hello: return answerHello(request)
      case .auth: return answerAuth(request)
      case .select: return answerSelect(request)
      case .quit:
        output.simple("OK")
        return .close
      case .reset: answerReset()
      case .client: return answerClient(request)
      case .multi: return answerMulti()
      case .exec: return answerExec()
      case .discard: return answerDiscard()
      case .watch: return answerWatch(request)
      case .unwatch: answerUnwatch()
      case .command: return answerCommand(request)
      case .config: return answerConfig(request)
      case .info: return answerInformation(request)
      case .time: answerTime()
      case .dbsize: return answerSize()
      case .write, .unknown:
        worker.refuse(.notAllowed)
        return fail("READONLY This server only reads. Publish feeds with 'feedcore ingest'.")
      }
      return .answered
    }

    /// Responds with an error.
    func fail(_ message: String) -> RESPOutcome {
      output.error(message)
      return .answered
    }

    /// The error of Redis: `-ERR unknown subcommand`.
    func failUnknown(subcommand: String, of command: RESPCommand) -> RESPOutcome {
      worker.refuse(.notAllowed)
      let name = command.name.uppercased()
      return fail("ERR unknown subcommand '\(subcommand.prefix(128))'. Try \(name) HELP.")
    }

    private func answerUnknown(_ request: borrowing RESPRequest) -> RESPOutcome {
      let name = String(request.text(0).prefix(128))
      // A browser that sends an HTTP request here acts for another site.
      if ["POST", "HOST:"].contains(name.uppercased()) { return .refuse(.malformed) }
      guard client.isAdmitted else {
        worker.refuse(.unauthorized)
        return fail("NOAUTH Authentication required.")
      }
      worker.refuse(.notAllowed)
      var arguments = ""
      for index in 1..<max(request.count, 1) where arguments.utf8.count < 128 {
        arguments += "'\(request.text(index).prefix(128))' "
      }
      return fail("ERR unknown command '\(name)', with args beginning with: \(arguments)")
    }

    // MARK: Connections

    private func answerPing(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard request.count <= 2 else {
        return fail("ERR wrong number of arguments for 'ping' command")
      }
      if request.count == 2 { output.bulk(request[1].bytes) } else { output.simple("PONG") }
      return .answered
    }

    private func answerSelect(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard let index = request.integer(1) else {
        return fail("ERR value is not an integer or out of range")
      }
      guard index == 0 else { return fail("ERR DB index is out of range") }
      output.simple("OK")
      return .answered
    }

    private func answerReset() {
      endTransaction()
      client.version = 2
      client.name = ""
      client.isAdmitted = worker.context.configuration.credentials == nil
      output.version = 2
      output.simple("RESET")
    }

    private func answerHello(_ request: borrowing RESPRequest) -> RESPOutcome {
      var version = client.version
      if request.count > 1 {
        guard let wanted = request.integer(1) else {
          return fail("ERR Protocol version is not an integer or out of range")
        }
        guard wanted == 2 || wanted == 3 else {
          return fail("NOPROTO unsupported protocol version")
        }
        version = wanted
      }
      var name: String?
      var credentials: Int?
      var index = 2
      while index < request.count {
        switch request.word(index) {
        case "AUTH" where index + 2 < request.count:
          credentials = index + 1
          index += 3
        case "SETNAME" where index + 1 < request.count:
          name = request.text(index + 1)
          guard Self.isPlain(name ?? "") else { return failName() }
          index += 2
        default:
          return fail("ERR Syntax error in HELLO option '\(request.text(index).prefix(128))'")
        }
      }
      if let credentials,
        let outcome = logIn(
          name: request.copy(credentials), password: request.copy(credentials + 1))
      {
        return outcome
      }
      guard client.isAdmitted else {
        worker.refuse(.unauthorized)
        return fail(
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
            + " <proto> AUTH <user> <pass> option can be used to authenticate the client and select"
            + " the RESP protocol version at the same time")
      }
      client.name = name ?? client.name
      client.version = version
      output.version = version
      greet()
      return .answered
    }

    private func greet() {
      output.map(7)
      for (key, value) in [("server", "redis"), ("version", Self.redisVersion)] {
        output.bulk(key)
        output.bulk(value)
      }
      for (key, value) in [("proto", client.version), ("id", client.identifier)] {
        output.bulk(key)
        output.integer(value)
      }
      for (key, value) in [("mode", "standalone"), ("role", "master")] {
        output.bulk(key)
        output.bulk(value)
      }
      output.bulk("modules")
      output.array(0)
    }

    /// The version of Redis that is emulated. Clients choose their commands by it.
    static var redisVersion: String { "7.0.15" }

    /// Whether a name is allowed in a list of clients.
    static func isPlain(_ name: String) -> Bool {
      name.utf8.count <= 256 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    func failName() -> RESPOutcome {
      fail("ERR Client names cannot contain spaces, newlines or special characters.")
    }
  }
#endif
