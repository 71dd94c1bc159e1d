#if os(Linux)
  import FeedStorage
  import Foundation
  import LMDB
  import TestSupport
  import Testing

  private enum Namespaces {
    /// Only a privileged user may create a PID namespace.
    static let areAvailable: Bool = {
      let command = try? RunningCommand(
        "/usr/bin/unshare", ["--pid", "--fork", "true"], environment: ["PATH": "/usr/bin:/bin"],
        input: .nothing, output: .nothing, errors: .nothing)
      return command?.wait() == 0
    }()
  }

  /// Two containers that share a volume: in each, the first process has the number 1.
  @Suite(
    "Processes of several PID namespaces", .enabled(if: Namespaces.areAvailable),
    .timeLimit(.minutes(10)))
  struct NamespaceTests {
    private let workspace: Workspace

    init() throws {
      workspace = try Workspace()
      try workspace.publishUniversities()
    }

    /// Runs lines of the shell next to a server that is the first process of its namespace. `run`
    /// runs the program as the first process of another one.
    private func nextToServer(_ lines: String) throws -> (status: Int32, text: String) {
      try workspace.shell(
        """
        bin=$1; cd '\(workspace.path)'
        run() { unshare --pid --fork "$bin" "$@"; }
        unshare --pid --fork --kill-child "$bin" serve --http-socket first.sock >first 2>&1 &
        server=$!
        until grep -q first.sock first; do kill -0 $server || exit 99; sleep 0.05; done
        \(lines)
        code=$?
        kill -9 $server 2>/dev/null
        exit $code
        """)
    }

    @Test("read and write one store, although their first processes have the same number")
    func work() throws {
      let file = try workspace.file("payload.json", Payload.universities(["New"]))
      let outcome = try nextToServer(
        """
        run ingest '\(file)' --quiet && run show universities --format ndjson \\
          && run ingest - --feed piped --quiet <'\(file)' && run get piped New --json \\
          && { run get piped Missing; [ $? = 1 ]; } && run store check && run delete piped
        """)
      #expect(outcome.status == 0, "\(outcome.text)")
      #expect(try workspace.names(of: "universities") == ["New"])
    }

    @Test("pass signals on to the processes that do their work")
    func signals() throws {
      let outcome = try nextToServer(
        """
        unshare --pid --fork "$bin" serve --http-socket second.sock >second 2>&1 &
        second=$!
        until grep -q second.sock second; do kill -0 $second || exit 98; sleep 0.05; done
        read first <"/proc/$second/task/$second/children"
        kill -TERM $first
        wait $second
        """)
      #expect(outcome.status == 0, "\(outcome.text)")
    }

    /// Kills the server and waits for its end. Its parent ends after all threads of the server, and
    /// with them its locks, are gone.
    private let kill = """
      read child <"/proc/$server/task/$server/children"
      kill -9 $child
      wait $server 2>/dev/null
      true
      """

    @Test("leave no slot of a reader that was killed")
    func killed() throws {
      let database = try FeedDatabase.open(at: workspace.store)
      let outcome = try nextToServer(kill)
      #expect(outcome.status == 0, "\(outcome.text)")
      #expect(try processes(database).contains(1))
      let next = try workspace.shell("unshare --pid --fork \"$1\" get universities nothing")
      #expect(next.status == 1, "\(next.text)")
      #expect(try !processes(database).contains(1))
      #expect(try nextToServer(kill).status == 0)
      #expect(try database.renew(FeedName("universities"), referenceSeconds: 1) != nil)
      #expect(try !processes(database).contains(1))
    }

    private func processes(_ database: FeedDatabase) throws -> [Int] {
      try database.statistics().readers.map(\.process)
    }
  }
#endif
