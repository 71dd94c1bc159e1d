#if Server
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  /// The examples in the help of each command, as users read them.
  @Suite("Examples in the help", .timeLimit(.minutes(10)))
  struct ExampleTests {
    private static let root = ShownPage.root
    private static let tools = ["curl", "jq", "python3"]

    /// The exit statuses of the examples that show a failure.
    private static let failures: [String: Int32] = [
      "feedcore check bad.json": 65, "feedcore get universities Nowhere": 1,
      // No node listens there.
      "feedcore store follow --store redis-cluster://127.0.0.1:7000": 69,
      "feedcore store follow --store redis://127.0.0.1:7009 --feeds news": 69,
      "feedcore store repair --store redis-cluster://127.0.0.1:7000": 69,
      "feedcore store repair news --store redis-cluster://127.0.0.1:7000": 69,
      "feedcore store check --remote --store redis-cluster://127.0.0.1:7000": 69,
      "feedcore store copy --to redis-cluster://127.0.0.1:7000 --feeds news": 69,
    ]

    @Test("every command has examples, and no terminal of 80 columns wraps them")
    func completeness() throws {
      let commands = try HelpExamples.all()
      #expect(commands.count > 30)
      for command in commands {
        let name = command.testDescription
        #expect(command.commandLines.contains { $0.contains(name) }, "\(name)")
        for line in command.lines {
          #expect(line.count <= 79 && line.hasPrefix("  "), "\(line)")
        }
      }
      let shown = Set(commands.flatMap(\.commandLines))
      for line in Self.failures.keys { #expect(shown.contains(line), "\(line)") }
    }

    @Test(
      "every example runs and ends with the expected status",
      .enabled(if: areInstalled, "curl, jq or python3 is not installed"),
      arguments: try HelpExamples.all())
    func run(_ command: HelpExamples) async throws {
      let service = try await LoopbackServer { request in
        let name = request.target.split(separator: "/").last.map(String.init) ?? ""
        let file = Self.root.appending(path: "Examples/\(name)")
        return ServedResponse(text: (try? String(contentsOf: file, encoding: .utf8)) ?? "an image")
      }
      let shell = try ExampleShell(service: service.url.absoluteString)
      try await shell.prepare(Self.root.appending(path: "Examples"))
      for line in command.commandLines {
        let outcome = try await shell.run(line)
        let status = Self.failures[line] ?? 0
        #expect(outcome.status == status, "\(line): \(outcome.text)")
        #expect(status != 0 || !outcome.text.isEmpty || Self.isSilent(line), "\(line)")
      }
      #expect(shell.stopServer() ?? 0 == 0)
      await service.stop()
    }

    @Test(
      "the manual page shows every example",
      .enabled(if: areInstalled, "curl, jq or python3 is not installed"))
    func manual() async throws {
      let workspace = try Workspace()
      let script = Self.root.appending(path: "scripts/lib/manual.py").path
      let (status, page) = try workspace.shell("python3 '\(script)' \"$1\"")
      #expect(status == 0)
      let text = page.replacing("\\-", with: "-").replacing("\\(aq", with: "'")
        .replacing("\\e", with: "\\")
      let lines = Set(text.components(separatedBy: "\n"))
      #expect(lines.contains(".Sh EXAMPLES"))
      for line in try HelpExamples.all().flatMap(\.commandLines) {
        #expect(lines.contains(line), "\(line)")
      }
    }

    /// Whether an example writes to a file, or prints nothing after success.
    private static func isSilent(_ line: String) -> Bool {
      line.contains(">") || line.contains("--output")
        || ["delete ", "images put ", "images remove ", "store backup ", "store restore "]
          .contains { line.contains("feedcore \($0)") }
    }

    private static let areInstalled = tools.allSatisfy { tool in
      (try? Workspace().shell("command -v \(tool)").status) == 0
    }
  }

  /// The examples in the help of one command.
  struct HelpExamples: Sendable, CustomTestStringConvertible {
    /// The command, such as `feedcore store check`.
    let testDescription: String
    /// The lines between `EXAMPLES:` and `USAGE:`.
    let lines: [String]

    /// The lines without indentation and comments.
    var commandLines: [String] {
      lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasPrefix("# ") }
    }

    /// The examples of the root and of every command that help lists.
    static func all() throws -> [HelpExamples] {
      let workspace = try Workspace()
      let dump = try workspace.feedcore("--experimental-dump-help").object()
      return try all(of: dump["command"] as? [String: Any] ?? [:], [], workspace)
    }

    private static func all(
      of command: [String: Any], _ words: [String], _ workspace: Workspace
    ) throws -> [HelpExamples] {
      let help = try workspace.feedcore(words + ["--help"]).output
      let lines = help.components(separatedBy: "\n")
        .drop { $0 != "EXAMPLES:" }.dropFirst().prefix { !$0.hasPrefix("USAGE:") }
      var all = [
        HelpExamples(
          testDescription: (["feedcore"] + words).joined(separator: " "),
          lines: lines.filter { !$0.isEmpty })
      ]
      for subcommand in command["subcommands"] as? [[String: Any]] ?? []
      where subcommand["shouldDisplay"] as? Bool == true {
        guard let name = subcommand["commandName"] as? String, name != "help" else { continue }
        all += try Self.all(of: subcommand, words + [name], workspace)
      }
      return all
    }
  }

  /// A shell in a directory with the files and the store that the examples name.
  private final class ExampleShell {
    private let workspace: Workspace
    private let service: String
    private var server: (command: RunningCommand, address: String?)?

    /// - Parameter service: the URL that replaces `https://example.com`.
    init(service: String) throws {
      workspace = try Workspace()
      self.service = service
      try FileManager.default.createDirectory(
        atPath: workspace.path + "/bin", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: workspace.path + "/bin/feedcore", withDestinationPath: try Binary.path())
    }

    func prepare(_ examples: URL) async throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: examples.path)
      where name.contains("json") {
        let text = try String(contentsOf: examples.appending(path: name), encoding: .utf8)
        _ = try workspace.file(name, text.replacing("https://example.com", with: service))
      }
      _ = try workspace.file("bad.json", #"[{"name": 1]"#)
      _ = try workspace.file("dump.json", #"{"data":{"users":[{"email":"a@example.com"}]}}"#)
      _ = try workspace.file("photo.png", "an image")
      _ = try workspace.file("key.txt", "X-API-Key: secret\n")
      let users = try workspace.file("users.txt", "reader:secret\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: users)
      for line in [
        "feedcore ingest universities.json",
        "feedcore ingest news.json", "feedcore ingest feed.json",
        "feedcore images put https://example.com/photo.png photo.png",
        "feedcore store backup backup",
      ] {
        let outcome = try await run(line)
        try #require(outcome.status == 0, "\(line): \(outcome.text)")
      }
    }

    /// Runs a line to its end. A server starts, and runs until ``stopServer()`` or the next one.
    func run(_ line: String) async throws -> (status: Int32, text: String) {
      let isServer = line.hasPrefix("feedcore serve")
      let file = try workspace.file(isServer ? "server-output" : "output", "")
      var line = line
      if isServer {
        if let status = stopServer(), status != 0 { return (status, "the server before failed") }
        line.replace(/(127\.0\.0\.1|0\.0\.0\.0):\d+/, with: "127.0.0.1:0")
        if !line.contains(/--(http|resp)/) { line += " --http 127.0.0.1:0 --resp 127.0.0.1:0" }
        line = "exec " + line
      } else if let address = server?.address {
        line.replace("127.0.0.1:8080", with: address)
      }
      line.replace("https://example.com", with: service)
      // The local service replaces a public one.
      line.replace("images prefetch", with: "images prefetch --allow-private-images")
      let path = "PATH='\(workspace.path)/bin':\"$PATH\""
      let command = try workspace.start(
        shell: "cd '\(workspace.path)' && export \(path) && \(line)", outputAndErrors: file)
      let text = { String(decoding: try self.workspace.contents(file), as: UTF8.self) }
      guard isServer else {
        return (try await command.waitWithoutBlocking(), try text())
      }
      let addressCount = line.matches(of: /--(?:http|resp)/).count
      // The server is ready when it has printed every address.
      while command.isRunning, try text().count(where: \.isNewline) < addressCount {
        try await Task.sleep(for: .milliseconds(5))
      }
      guard command.isRunning else { return (command.wait(), try text()) }
      let address = try text().firstMatch(of: /HTTP on http:\/\/(\S+)/).map { String($0.output.1) }
      server = (command, address)
      return (0, try text())
    }

    /// Asks the server to stop; returns its exit status, or nil if no server was started.
    func stopServer() -> Int32? {
      guard let command = server?.command else { return nil }
      server = nil
      command.send(SIGTERM)
      return command.wait()
    }
  }
#endif
