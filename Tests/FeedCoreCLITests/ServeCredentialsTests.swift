#if Server
  import FeedCore
  import Foundation
  import TestSupport
  import Testing

  @Suite("The credentials of serve", .timeLimit(.minutes(5)))
  struct ServeCredentialsTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// A file that only its owner can read, or one with other permissions.
    private func file(
      _ text: String, _ name: String = "users", mode: Int = 0o600
    ) throws -> String {
      let file = try workspace.file(name, text)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      return file
    }

    @Test(
      "are not read from a file that others can access, and the message has a command to fix it",
      arguments: [0o644, 0o604, 0o640, 0o602, 0o620, 0o666])
    func open(mode: Int) throws {
      let file = try file("token", "it's mine", mode: mode)
      let outcome = try workspace.feedcore("serve", "--http", "127.0.0.1:0", "--auth-file", file)
      #expect(outcome.status == 65)
      let start = try #require(outcome.errors.range(of: "chmod")).lowerBound
      let command = outcome.errors[start...].prefix { $0 != "`" }
      #expect(command.hasPrefix("chmod 600 "))
      #expect(try workspace.shell(String(command)).status == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("are read again after SIGHUP, and the former ones stay if that fails")
    func reload() async throws {
      let file = try file("old\n")
      let errors = workspace.path + "/err"
      let (command, url) = try await workspace.startServer(
        ["--auth-file", file], errors: .file(errors))
      func text(_ path: String) throws -> String {
        String(decoding: try workspace.contents(path), as: UTF8.self)
      }
      let client = AsyncHTTPTransport()
      func status(_ token: String) async throws -> Int {
        let request = FeedHTTPRequest(
          url.appending(path: "feeds"), fields: ["Authorization": "Bearer \(token)"])
        return try await client.get(request).status
      }
      #expect(try await status("old") == 200)
      #expect(try await status("new") == 401)

      _ = try self.file("new\n")
      command.send(SIGHUP)
      // The server reads the file at some time after the signal.
      while try await status("old") == 200 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(try await status("new") == 200)

      for (content, mode) in [("third\n", 0o644), ("# none\n", 0o600)] {
        let before = try text(errors).count
        _ = try self.file(content, mode: mode)
        command.send(SIGHUP)
        while command.isRunning, try text(errors).count == before {
          try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try text(errors).dropFirst(before).contains("the former credentials stay"))
        #expect(try await status("new") == 200)
      }
      await client.shutdown()
      command.send(SIGTERM)
      #expect(try await command.waitWithoutBlocking() == 0)
    }

    @Test("are not required for a server to survive SIGHUP")
    func hangup() async throws {
      let (command, _) = try await workspace.startServer()
      command.send(SIGHUP)
      command.send(SIGHUP)
      command.send(SIGTERM)
      #expect(try await command.waitWithoutBlocking() == 0)
    }
  }
#endif
