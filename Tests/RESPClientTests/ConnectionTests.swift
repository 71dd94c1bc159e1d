#if Cluster
  import Foundation
  import LoopbackServer
  import RESPClient
  import TestSupport
  import Testing

  @Suite("A connection of the client", .timeLimit(.minutes(2)))
  struct ConnectionTests {
    @Test(
      "reads replies that arrive byte by byte between pushes",
      arguments: [
        "+OK\r\n", "$5\r\nhello\r\n", "*2\r\n:1\r\n$-1\r\n", "%1\r\n+k\r\n#t\r\n", ",1.5\r\n",
        "=9\r\ntxt:hello\r\n", "|1\r\n+ttl\r\n:3\r\n:7\r\n", "_\r\n",
      ])
    func everyByte(_ reply: String) async throws {
      let push = ">2\r\n$7\r\nmessage\r\n$1\r\na\r\n"
      let server = try await ScriptedServer()
      server.replies { words in
        words.last == "parts" ? [.eachByte(push + reply + push)] : [.bytes(reply)]
      }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let whole = try await client.send(RESPCommand("GET", "whole", access: .read))
      #expect(try await client.send(RESPCommand("GET", "parts", access: .read)) == whole)
      #expect(try await client.send(RESPCommand("GET", "parts", access: .read)) == whole)
      await client.close()
    }

    @Test("keeps the order of a pipeline with long values")
    func pipeline() async throws {
      let server = try await ScriptedServer()
      server.replies { words in
        let value = String(repeating: words[1], count: 8_190)
        return [.bytes("$\(value.utf8.count)\r\n\(value)\r\n")]
      }
      let client = try await ScriptedCluster.connect(server, isCluster: false) { configuration in
        configuration.inFlightBytes = 1_000
      }
      let results = await client.send(
        (0..<50).map { RESPCommand("GET", RESPKey("key-\($0 + 100)"), access: .read) })
      for (index, result) in results.enumerated() {
        let text = try #require(try result.get().text)
        #expect(text.utf8.count == 8_190 * 7 && text.hasPrefix("key-\(index + 100)key-"))
      }
      await client.close()
    }

    @Test(
      "maps error replies to causes",
      arguments: [
        (
          "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
          RESPClientError.Cause.outOfMemory
        ),
        ("-NOAUTH Authentication required.\r\n", .notPermitted("NOAUTH")),
        ("-NOPERM no\r\n", .notPermitted("NOPERM")),
        ("-ERR a\u{1B}b\r\n", .server(RESPServerError("ERR a b"))),
        ("!9\r\nWRONG one\r\n", .server(RESPServerError("WRONG one"))),
        (
          "-READONLY You can't write against a read only replica.\r\n",
          .unavailable(RESPServerError("READONLY You can't write against a read only replica."))
        ),
        ("-MOVED 12182 127.0.0.1:1\r\n", .unavailable(RESPServerError("MOVED 12182 127.0.0.1:1"))),
      ])
    func errors(_ reply: String, _ cause: RESPClientError.Cause) async throws {
      let server = try await ScriptedServer()
      server.replies { _ in [.bytes(reply)] }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let node = ScriptedCluster.node(server)
      let error = await #expect(throws: RESPClientError.self) {
        try await client.send(RESPCommand("SET", "foo", "secret value"))
      }
      #expect(error == RESPClientError(cause, node: node, slot: RESPSlot(12_182)))
      #expect(error.map { "\($0)" }?.contains("node 127.0.0.1:\(server.port), slot 12182") == true)
      await client.close()
    }

    @Test("authenticates, and prints no password", arguments: ["NOAUTH", "WRONGPASS"])
    func credentials(_ code: String) async throws {
      let server = try await ScriptedServer()
      server.script(isComplete: true) { words, _ in
        words == ["HELLO", "3", "AUTH", "feeds", "right"] || words == ["PING"]
          ? [.bytes("+OK\r\n")] : [.bytes("-\(code) invalid username-password pair\r\n")]
      }
      let right = RESPCredentials(user: "feeds", password: "right")
      let client = try await ScriptedCluster.connect(server, isCluster: false) { configuration in
        configuration.credentials = right
      }
      await client.close()
      for credentials in [nil, RESPCredentials(password: "wrong-word")] {
        let error = await #expect(throws: RESPClientError.self) {
          _ = try await ScriptedCluster.connect(server, isCluster: false) { configuration in
            configuration.credentials = credentials
            #expect(!String(reflecting: configuration).contains("wrong-word"))
          }
        }
        #expect(error?.cause == .notPermitted(code))
        #expect(error.map { "\($0)" }?.contains("wrong-word") == false)
      }
    }

    @Test(
      "retries a read if the connection closes during the reply, but no write that may have run")
    func lostConnection() async throws {
      let server = try await ScriptedServer()
      let turns = Turns()
      server.replies { words in
        if words[0] == "SET" { return [.bytes("+O"), .close] }
        return turns.next() == 0 ? [.bytes("$5\r\nhe"), .close] : [.bytes("$5\r\nhello\r\n")]
      }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      #expect(try await client.send(RESPCommand("GET", "a", access: .read)).text == "hello")
      let error = await #expect(throws: RESPClientError.self) {
        try await client.send(RESPCommand("SET", "a", "b"))
      }
      #expect(error?.cause == .connectionLost(mayHaveRun: true) && error?.mayHaveRun == true)
      #expect(server.lines.filter { $0 == "SET a b" }.count == 1)
      await client.close()
    }

    @Test("rejects bytes that are not a reply, with their offset")
    func garbage() async throws {
      let server = try await ScriptedServer()
      server.replies { _ in [.bytes("*2\r\n:1\r\nHTTP/1.1 400\r\n")] }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let error = await #expect(throws: RESPClientError.self) {
        try await client.send(RESPCommand("GET", "a", access: .read))
      }
      #expect(
        error?.cause == .invalidReply("no element starts with the byte 72 at byte 8 of a reply"))
      await client.close()
    }

    @Test("ends a command at its deadline, and sends nothing to a node after three timeouts")
    func breaker() async throws {
      let server = try await ScriptedServer()
      server.replies { _ in [] }
      let client = try await ScriptedCluster.connect(server, isCluster: false) { configuration in
        configuration.deadline = .milliseconds(1_500)
        configuration.breakerTime = .seconds(3_600)
      }
      var causes: [RESPClientError.Cause] = []
      repeat {
        let result = await client.send([RESPCommand("SET", "a", "b")])
        causes.append(try #require(result[0].cause))
      } while causes.last == .timeout(mayHaveRun: true)
      #expect(causes.count >= 4 && causes.last == .circuitOpen)
      #expect(client.statistics.timeouts == 3)
      let sent = server.lines.count
      let error = await client.send([RESPCommand("SET", "a", "b")])[0].cause
      #expect(error == .circuitOpen && server.lines.count == sent)
      await client.close()
    }

    @Test("reports a node that refuses connections")
    func refused() async throws {
      let server = try await ScriptedServer()
      await server.stop()
      let error = await #expect(throws: RESPClientError.self) {
        _ = try await ScriptedCluster.connect(server, isCluster: false)
      }
      guard case .unreachable = error?.cause else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.node == ScriptedCluster.node(server) && error?.remedy != nil)
    }

    @Test("ends at once when its task is cancelled")
    func cancelled() async throws {
      let server = try await ScriptedServer()
      let asked = Gate()
      server.replies { _ in
        asked.open()
        return []
      }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let task = Task { await client.send([RESPCommand("SET", "a", "b")]) }
      await asked.wait()
      task.cancel()
      #expect(await task.value.map { $0.cause } == [.cancelled])
      await client.close()
      #expect(await client.send([RESPCommand("SET", "a", "b")]).map { $0.cause } == [.closed])
    }

    @Test("uses TLS with a configured certificate authority, and rejects unknown ones")
    func secure() async throws {
      let directory = try TemporaryDirectory()
      let (certificate, key) = (directory.path + "/ca.pem", directory.path + "/key.pem")
      try LoopbackCertificate.pem.write(toFile: certificate, atomically: false, encoding: .utf8)
      try LoopbackCertificate.privateKey.write(toFile: key, atomically: false, encoding: .utf8)
      let server = try await ScriptedServer(isSecure: true)
      server.replies { _ in [.bytes("$1\r\nx\r\n")] }
      var tls = RESPConfiguration.TLS()
      tls.authority = certificate
      (tls.certificate, tls.privateKey) = (certificate, key)
      let client = try await ScriptedCluster.connect(server, isCluster: false) { $0.tls = tls }
      #expect(try await client.send(RESPCommand("GET", "a", access: .read)).text == "x")
      await client.close()
      let error = await #expect(throws: RESPClientError.self) {
        _ = try await ScriptedCluster.connect(server, isCluster: false) { configuration in
          configuration.tls = RESPConfiguration.TLS()
          configuration.deadline = .milliseconds(500)
        }
      }
      guard case .unreachable = error?.cause else {
        Issue.record("\(String(describing: error))")
        return
      }
      var missing = RESPConfiguration.TLS()
      missing.certificate = directory.path + "/none.pem"
      await #expect(throws: RESPClientError.self) {
        _ = try await ScriptedCluster.connect(server, isCluster: false) { $0.tls = missing }
      }
    }
  }

  @Suite("A server with TLS", .enabled(if: RedisCluster.isAvailable))
  struct SecureServerTests {
    @Test("accepts the authority and the certificate that a URL names, and no other client")
    func url() async throws {
      let directory = try TemporaryDirectory(inMemory: true)
      let (certificate, key) = (directory.path + "/ca.pem", directory.path + "/key.pem")
      try LoopbackCertificate.pem.write(toFile: certificate, atomically: false, encoding: .utf8)
      try LoopbackCertificate.privateKey.write(toFile: key, atomically: false, encoding: .utf8)
      let ports = try RedisServer.freePorts(2)
      let server = try RedisServer(
        port: ports[0], directory: directory.path,
        arguments: [
          "--tls-port", "\(ports[1])", "--tls-cert-file", certificate, "--tls-key-file", key,
          "--tls-ca-cert-file", certificate, "--tls-auth-clients", "yes",
        ])
      defer { server.kill() }
      try #require(try await RedisServer.listen([server]))
      let url = "rediss://127.0.0.1:\(ports[1])?ca=\(certificate)"
      let own = try ClusterURL(url + "&cert=\(certificate)&key=\(key)").configuration
      let client = try await RESPClusterClient.connect(own)
      #expect(try await client.send(RESPCommand("SET", "a", "x")).isOK)
      #expect(try await client.send(RESPCommand("GET", "a", access: .read)).text == "x")
      await client.close()
      let anonymous = try ClusterURL(url).configuration
      await #expect(throws: RESPClientError.self) {
        try await RESPClusterClient.connect(anonymous)
      }
    }
  }

  extension Result where Failure == RESPClientError {
    var cause: RESPClientError.Cause? {
      if case .failure(let error) = self { error.cause } else { nil }
    }
  }
#endif
