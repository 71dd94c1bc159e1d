import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("The environment of the program", .timeLimit(.minutes(10)))
struct PreflightTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
  }

  @Test(
    "a command ends with 74 if too few files can be opened, and the store is unchanged",
    arguments: [6, 7, 10, 16, 30],
    ["ingest '$PAYLOAD'", "load universities --url http://127.0.0.1:1/", "feeds"])
  func fewFiles(limit: Int, words: String) throws {
    let before = try workspace.snapshot()
    let payload = try workspace.file("payload.json", Payload.universities(["Other"]))
    let line = words.replacingOccurrences(of: "$PAYLOAD", with: payload)
    let (status, text) = try workspace.shell("ulimit -n \(limit); exec \"$1\" \(line)")
    #expect(status == 74)
    #expect(text.contains("ulimit -n") && text.split(separator: "\n").count == 1)
    #expect(try workspace.snapshot() == before)
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("a name that is not UTF-8 is refused, and not replaced by another one")
  func namesThatAreNoText() throws {
    let name = "name-$(printf '\\377').json"
    let before = try FileManager.default.contentsOfDirectory(atPath: workspace.path)
    let outcomes = try [
      workspace.shell("exec env XDG_CACHE_HOME=\"/\(name)\" \"$1\" feeds"),
      workspace.shell(
        "cd '\(workspace.path)'; exec \"$1\" export universities --output \"\(name)\""),
      workspace.shell("exec env FEEDCORE_STORE=\"\(name)\" \"$1\" feeds"),
    ]
    for (status, text) in outcomes {
      #expect(status == 64)
      #expect(text.contains("is not UTF-8"))
    }
    let after = try FileManager.default.contentsOfDirectory(atPath: workspace.path)
    #expect(Set(after).subtracting(before) == ["shell-output"])
  }

  @Test("Ctrl-\\ ends a command at once")
  func quit() throws {
    let before = try workspace.snapshot()
    let ingest = try OpenIngest(workspace, names: ["New"])
    #expect(ingest.end(with: SIGQUIT) == -SIGQUIT)
    #expect(try workspace.snapshot() == before)
  }

  @Test("a store without read permission is not reported as missing")
  func unreadable() throws {
    // Root has all permissions, but can change to another user.
    let isRoot = geteuid() == 0
    chmod(workspace.store, isRoot ? 0o700 : 0)
    let other = isRoot ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
    let (status, text) = try workspace.shell("exec \(other) \"$1\" store check")
    chmod(workspace.store, 0o700)
    #expect(status == 74)
    #expect(text.contains("permission denied"))
  }

  #if Server
    @Test(
      "a server that cannot listen at one of its addresses ends",
      arguments: [
        ["--resp", "127.0.0.1:0", "--http-socket", "/nowhere/socket"],
        ["--http", "127.0.0.1:0", "--resp-socket", "/nowhere/socket"],
      ])
    func halfServer(_ addresses: [String]) throws {
      let outcome = try workspace.feedcore(["serve"] + addresses)
      #expect(outcome.status == 74)
      #expect(outcome.errors.contains("/nowhere/socket: cannot listen here"))
    }

    @Test("a server ends when another store replaces its own")
    func otherStore() throws {
      let other = try Workspace()
      try other.publishUniversities()
      let backup = workspace.path + "/backup"
      #expect(try other.feedcore("store", "backup", backup).status == 0)
      let (output, errors) = (workspace.path + "/addresses", workspace.path + "/errors")
      let server = try workspace.start(
        ["serve", "--http", "127.0.0.1:0"], output: .file(output), errors: .file(errors))
      while try workspace.contents(output).isEmpty { try #require(server.isRunning) }
      #expect(try workspace.feedcore("store", "restore", backup).status == 0)
      #expect(server.wait() == 74)
      let text = String(decoding: try workspace.contents(errors), as: UTF8.self)
      #expect(text.contains("another store has replaced this one"))
    }

    @Test("a server ends when its store is removed, whether or not another one is made there")
    func removedStore() throws {
      for makesAnother in [false, true] {
        try workspace.publishUniversities()
        let (output, errors) = (workspace.path + "/addresses", workspace.path + "/errors")
        let server = try workspace.start(
          ["serve", "--http", "127.0.0.1:0"], output: .file(output), errors: .file(errors))
        while try workspace.contents(output).isEmpty { try #require(server.isRunning) }
        try FileManager.default.removeItem(atPath: workspace.store)
        if makesAnother { try workspace.publishUniversities() }
        #expect(server.wait() == 74)
        try FileManager.default.removeItem(atPath: output)
      }
    }
  #endif
}
