#if Server
  import FeedStorage
  import NIOCore
  import RESPWire

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  // Commands about the server.
  extension RESPConnection {
    // MARK: Keys

    /// The maximum number of keys that one call visits.
    private static var maximumScanCount: Int { 1_000 }

    func answerScan(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard let number = UInt64(request.text(1)) else { return fail("ERR invalid cursor") }
      var limit = 10
      var pattern: GlobPattern?
      var hasStrings = true
      var index = 2
      while index < request.count {
        guard index + 1 < request.count else { return fail("ERR syntax error") }
        switch request.word(index) {
        case "MATCH":
          guard let given = GlobPattern(request.copy(index + 1)) else {
            return fail("ERR a pattern has at most \(GlobPattern.longest) bytes")
          }
          pattern = given.matchesAll ? nil : given
        case "COUNT":
          guard let count = request.integer(index + 1) else {
            return fail("ERR value is not an integer or out of range")
          }
          guard count > 0 else { return fail("ERR syntax error") }
          limit = min(count, Self.maximumScanCount)
        case "TYPE": hasStrings = request.word(index + 1) == "STRING"
        default: return fail("ERR syntax error")
        }
        index += 2
      }
      var keys: [String] = []
      var next: ScanCursor?
      if hasStrings, let cursor = ScanCursor(number: number) {
        do throws(StoreError) {
          next = try worker.keyspace.scan(from: cursor, limit: limit, matching: pattern) {
            keys.append($0)
          }
        } catch {
          return fail("ERR \(error.code): \(error.message)")
        }
      }
      output.array(2)
      output.bulk(String(next?.number ?? 0))
      output.array(keys.count)
      for key in keys { output.bulk(key) }
      return .answered
    }

    func answerSize() -> RESPOutcome {
      do throws(StoreError) {
        guard let keys = try countKeys() else { return .unfinished }
        output.integer(keys.count)
      } catch {
        return fail(error)
      }
      return .answered
    }

    /// Counts all keys, or continues to count them; nil if other connections get their turn before
    /// the count continues.
    func countKeys() throws(StoreError) -> KeyCount? {
      var keys = progress?.keys ?? KeyCount()
      progress = nil
      while try worker.keyspace.continueCount(&keys) {
        guard worker.keyspace.work < worker.limits.sliceBytes else {
          progress = RESPProgress(keys: keys)
          return nil
        }
      }
      return keys
    }

    // MARK: Server

    func answerTime() {
      let time = Date().timeIntervalSince1970
      output.array(2)
      output.bulk(String(Int(time)))
      output.bulk(String(Int(time.truncatingRemainder(dividingBy: 1) * 1e6)))
    }

    /// The maximum number of patterns of one `CONFIG GET`.
    private static var maximumPatterns: Int { 32 }

    func answerConfig(_ request: borrowing RESPRequest) -> RESPOutcome {
      let subcommand = request.word(1)
      if subcommand == "HELP", request.count == 2 { return answerHelp(.config) }
      guard subcommand == "GET" else {
        return failUnknown(subcommand: request.text(1), of: .config)
      }
      guard request.count > 2 else {
        return fail("ERR wrong number of arguments for 'config|get' command")
      }
      guard request.count <= 2 + Self.maximumPatterns else {
        return fail("ERR 'config|get' takes at most \(Self.maximumPatterns) patterns")
      }
      let patterns = (2..<request.count).compactMap { index in
        // A longer pattern matches nothing and is not parsed.
        request[index].count <= GlobPattern.longest
          ? GlobPattern(Array(request.text(index).lowercased().utf8)) : nil
      }
      worker.keyspace.work += patterns.count << 12
      let configuration = worker.context.configuration
      let values = [
        ("appendonly", "no"), ("bind", ""), ("databases", "1"),
        ("maxclients", String(configuration.maximumConnections)), ("maxmemory", "0"),
        ("maxmemory-policy", "noeviction"),
        ("proto-max-bulk-len", String(RESPLimits().bulkBytes)), ("save", ""), ("timeout", "0"),
      ].filter { name, _ in
        patterns.contains { $0.matches(Array(name.utf8).span) }
      }
      output.map(values.count)
      for (name, value) in values {
        output.bulk(name)
        output.bulk(value)
      }
      return .answered
    }

    // MARK: Clients

    func answerClient(_ request: borrowing RESPRequest) -> RESPOutcome {
      switch (request.word(1), request.count) {
      case ("ID", 2): output.integer(client.identifier)
      case ("GETNAME", 2):
        if client.name.isEmpty { output.null() } else { output.bulk(client.name) }
      case ("SETNAME", 3):
        guard Self.isPlain(request.text(2)) else { return failName() }
        client.name = request.text(2)
        output.simple("OK")
      case ("SETINFO", 4): return setInformation(request)
      case ("INFO", 2): output.verbatim(line + "\n")
      case ("HELP", 2): return answerHelp(.client)
      case ("LIST", 2):
        let others = worker.connections.values.sorted {
          $0.client.identifier < $1.client.identifier
        }
        output.verbatim(others.prefix(1_000).map { $0.line + "\n" }.joined())
      case ("ID", _), ("GETNAME", _), ("SETNAME", _), ("SETINFO", _), ("INFO", _):
        let name = request.text(1).lowercased()
        return fail("ERR wrong number of arguments for 'client|\(name)' command")
      default: return failUnknown(subcommand: request.text(1), of: .client)
      }
      return .answered
    }

    private func setInformation(_ request: borrowing RESPRequest) -> RESPOutcome {
      let value = request.text(3)
      guard Self.isPlain(value) else {
        return fail(
          "ERR \(request.text(2).prefix(128)) cannot contain spaces, newlines or special characters."
        )
      }
      switch request.word(2) {
      case "LIB-NAME": client.libraryName = value
      case "LIB-VER": client.libraryVersion = value
      default: return fail("ERR Unrecognized option '\(request.text(2).prefix(128))'")
      }
      output.simple("OK")
      return .answered
    }

    /// The client in the form of `CLIENT LIST`.
    private var line: String {
      let now = NIODeadline.now()
      let age = (now - began).nanoseconds / 1_000_000_000
      let idle = (now - lastRead).nanoseconds / 1_000_000_000
      return "id=\(client.identifier) addr=\(remoteAddress) laddr=\(localAddress)"
        + " name=\(client.name) age=\(age) idle=\(idle) flags=N db=0 sub=0 psub=0"
        + " multi=\(transaction?.count ?? -1)"
        + " qbuf=\(unreadBytes) omem=\(heldBytes) cmd=\(client.command.name) user=default"
        + " lib-name=\(client.libraryName) lib-ver=\(client.libraryVersion)"
        + " resp=\(client.version)"
    }

    // MARK: Commands

    /// The maximum number of names of one `COMMAND`: more than Redis has commands.
    private static var maximumNames: Int { 512 }

    func answerCommand(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard request.count > 1 else {
        describe(RESPCommand.listed)
        return .answered
      }
      guard request.count <= 2 + Self.maximumNames else {
        return fail("ERR 'command' takes at most \(Self.maximumNames) names")
      }
      switch (request.word(1), request.count) {
      case ("COUNT", 2): output.integer(RESPCommand.listed.count)
      case ("LIST", 2):
        output.array(RESPCommand.listed.count)
        for command in RESPCommand.listed { output.bulk(command.name) }
      case ("HELP", 2): return answerHelp(.command)
      case ("INFO", 2): describe(RESPCommand.listed)
      case ("INFO", _):
        describe((2..<request.count).map { CommandName.command(request[$0]) })
      case ("DOCS", 2): document(RESPCommand.listed)
      case ("DOCS", _):
        document(
          (2..<request.count).map { CommandName.command(request[$0]) }
            .filter { RESPCommand.listed.contains($0) })
      default: return failUnknown(subcommand: request.text(1), of: .command)
      }
      return .answered
    }

    /// Writes each command's description; null for unknown ones.
    private func describe(_ commands: [RESPCommand]) {
      output.array(commands.count)
      for command in commands {
        guard RESPCommand.listed.contains(command) else {
          output.nullArray()
          continue
        }
        let description = command.description
        output.array(10)
        output.bulk(command.name)
        output.integer(description.arity)
        output.set(command.flags.count)
        for flag in command.flags { output.simple(word: flag) }
        output.integer(description.keys.first)
        output.integer(description.keys.last)
        output.integer(description.keys.step)
        output.set(command.categories.count)
        for category in command.categories { output.simple(word: category) }
        for _ in 0..<3 { output.array(0) }
      }
    }

    private func document(_ commands: [RESPCommand]) {
      output.map(commands.count)
      for command in commands {
        let description = command.description
        output.bulk(command.name)
        output.map(4)
        for (key, value) in [
          ("summary", description.summary), ("since", description.since),
          ("group", description.group.rawValue),
        ] {
          output.bulk(key)
          output.bulk(value)
        }
        output.bulk("arguments")
        output.array(command.arguments.count)
        for argument in command.arguments { document(argument) }
      }
    }

    /// Writes the description of an argument, which clients show while a command is typed.
    private func document(_ argument: RESPCommand.Argument) {
      let token = argument.token.map { [("token", $0)] } ?? []
      output.map(2 + token.count + (argument.flags.isEmpty ? 0 : 1))
      for (key, value) in [("name", argument.name), ("type", argument.type)] + token {
        output.bulk(key)
        output.bulk(value)
      }
      guard !argument.flags.isEmpty else { return }
      output.bulk("flags")
      output.set(argument.flags.count)
      for flag in argument.flags { output.simple(word: flag) }
    }
  }
#endif
