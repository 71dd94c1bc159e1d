#if Server
  import FeedCore
  import Foundation
  import Testing

  @testable import FeedServer

  @Suite("Credentials", .timeLimit(.minutes(2)))
  struct CredentialsTests {
    /// What `printf %s token1 | sha256sum` prints.
    private static let token = "df3e6b0bb66ceaadca4f84cbc371fd66e04d20fe51fc414da8d1b84d31d178de"
    /// What `printf %s pä:ss | sha256sum` prints.
    private static let password = "ce33b40ff2557f2f52b9974b504748c85818ef0b2c2a31e04a3996507562ec9d"

    private static func basic(_ pair: String) -> [String: String] {
      ["Authorization": "Basic " + Data(pair.utf8).base64EncodedString()]
    }

    @Test("may be stored as the SHA-256 of a token or a password")
    func digests() async throws {
      var configuration = ServerConfiguration()
      configuration.credentials = Credentials(
        lines: "sha256:\(Self.token)\nana:sha256:\(Self.password.uppercased())\nb:c")
      try await TestServer.with(.universities(1), configuration) { server in
        for fields in [
          ["Authorization": "Bearer token1"], Self.basic("ana:pä:ss"), Self.basic("b:c"),
        ] {
          let answer = try await server.get("/feeds", fields)
          #expect(answer.status == 200)
        }
        for fields in [
          ["Authorization": "Bearer token2"], ["Authorization": "Bearer \(Self.token)"],
          ["Authorization": "Bearer sha256:\(Self.token)"], Self.basic("ana:\(Self.password)"),
          Self.basic("ana:sha256:\(Self.password)"), Self.basic("bob:pä:ss"), Self.basic("ana"),
        ] {
          let answer = try await server.get("/feeds", fields)
          #expect(answer.status == 401)
        }
      }
    }

    @Test(
      "are refused if a digest is malformed",
      arguments: [
        "sha256:", "sha256:secret", "ana:sha256:", "ana:sha256:0", "sha256:" + token + "0",
        "sha256:" + token.dropLast(), "sha256:" + token.dropLast() + "g",
        "sha256:" + token.replacing("0", with: "０"), ":secret", "ana:", ":",
      ])
    func malformed(line: String) {
      #expect(Credentials(lines: "valid\n" + line) == nil)
      #expect(Credentials(lines: line) == nil)
    }

    @Test("are replaced for the next request of a connection")
    func replaced() async throws {
      var configuration = ServerConfiguration()
      configuration.credentials = Credentials(lines: "old\nboth")
      try await TestServer.with(.universities(1), configuration) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          var statuses: [Int?] = []
          for token in ["old", "old", "new", "both"] {
            try await connection.send(
              TestServer.request("/feeds", ["Authorization": "Bearer \(token)"]))
            statuses.append(try await input.answer()?.status)
            guard statuses.count == 1 else { continue }
            try server.server.replaceCredentials(try #require(Credentials(lines: "new\nboth")))
          }
          #expect(statuses == [200, 401, 200, 200])
        }
      }
    }

    @Test("cannot be introduced while a server runs without them")
    func introduced() async throws {
      let credentials = try #require(Credentials(lines: "new"))
      try await TestServer.with(.universities(1)) { server in
        #expect(throws: StoreError.self) { try server.server.replaceCredentials(credentials) }
        let answer = try await server.get("/feeds")
        #expect(answer.status == 200)
      }
    }

    @Test("are checked again for open RESP connections after a replacement")
    func replacedOverRESP() async throws {
      try await RESPRoom.serve(.with { $0.credentials = Credentials(lines: "old\nann:both") }) {
        room in
        try await room.connect { (kept: inout RESPPeer) async throws in
          #expect(try await kept.ask("AUTH", "ann", "both") == .simple("OK"))
          try await room.connect { (removed: inout RESPPeer) async throws in
            #expect(try await removed.ask("AUTH", "old") == .simple("OK"))
            let replacement = try #require(Credentials(lines: "ann:both"))
            room.context.authenticator.credentials.replace(replacement)
            // The server closes the connection.
            #expect(try await removed.reply() == nil)
          }
          #expect(try await kept.ask("PING") == .simple("PONG"))
        }
        #expect(room.refusals(.unauthorized) == 1)
      }
    }

    @Test("cannot be guessed quickly over HTTP, and guesses delay no admitted connection")
    func guesses() async throws {
      var configuration = ServerConfiguration()
      configuration.credentials = Credentials(lines: "right")
      try await TestServer.with(.universities(1), configuration) { server in
        let right = ["Authorization": "Bearer right"]
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(TestServer.request("/feeds", right))
          #expect(try await input.answer()?.status == 200)
          let clock = ContinuousClock()
          let began = clock.now
          var statuses: [Int: Int] = [:]
          for status in try await Self.guess(200, from: server) {
            statuses[status, default: 0] += 1
          }
          let seconds = Int((clock.now - began).components.seconds) + 1
          #expect(statuses[401, default: 0] + statuses[429, default: 0] == 200)
          #expect(statuses[401, default: 0] <= 10 + 33 * (seconds + 1))
          #expect(statuses[429, default: 0] > 0)
          #expect(server.metrics.refusals(.tooManyLogins, of: .http) == statuses[429])
          #expect(server.metrics.refusals(.unauthorized, of: .http) == statuses[401])
          for _ in 0..<100 {
            try await connection.send(TestServer.request("/feeds", right))
            #expect(try await input.answer()?.status == 200)
          }
        }
        // A request without credentials does not count as a guess.
        #expect(try await server.get("/feeds").status == 401)
        #expect(try await server.get("/healthz").status == 200)
      }
    }

    /// Sends guesses, each on its own connection; returns the statuses.
    private static func guess(_ count: Int, from server: TestServer) async throws -> [Int] {
      try await withThrowingTaskGroup(of: Int.self) { tasks in
        for number in 0..<count {
          tasks.addTask {
            try await server.get("/feeds", ["Authorization": "Bearer \(number)"]).status
          }
        }
        var statuses: [Int] = []
        for try await status in tasks { statuses.append(status) }
        return statuses
      }
    }
  }
#endif
