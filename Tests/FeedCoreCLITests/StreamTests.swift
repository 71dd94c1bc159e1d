import Foundation
import TestSupport
import Testing

@Suite("Standard streams")
struct StreamTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// Runs a command, reads one byte of its output and closes the pipe.
  private func firstByte(_ arguments: [String]) throws -> (status: Int32, errors: String) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Workspace.Unexpected() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let errors = workspace.path + "/errors"
    let command = try workspace.start(
      arguments, output: .descriptor(ends[1]), errors: .file(errors))
    close(ends[1])
    var byte: UInt8 = 0
    guard read(ends[0], &byte, 1) == 1 else { throw Workspace.Unexpected() }
    close(ends[0])
    return (command.wait(), String(decoding: try workspace.contents(errors), as: UTF8.self))
  }

  @Test(
    "a closed pipe ends a command at once and quietly",
    .timeLimit(.minutes(10)),
    arguments: [
      ["export", "universities"], ["export", "universities", "--format", "ndjson"],
      ["show", "universities", "--limit", "1000000"],
      ["show", "universities", "--limit", "1000000", "--format", "json"],
      ["export", "universities", "--format", "csv"],
      ["sample", "--kind", "news", "--records", "1000000000000"],
    ])
  func closedPipe(_ arguments: [String]) throws {
    let file = try workspace.sample("universities", 5_000)
    guard try workspace.feedcore("ingest", file).status == 0 else { throw Workspace.Unexpected() }
    let outcome = try firstByte(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test(
    "a full disk ends a command with 74",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
  func fullDisk() throws {
    try workspace.publishUniversities()
    for arguments in [
      ["export", "universities"], ["show", "universities"], ["feeds"], ["--version"],
      ["help", "ingest"], ["--generate-completion-script", "bash"],
    ] {
      let errors = workspace.path + "/errors"
      let command = try workspace.start(
        arguments, output: .file("/dev/full"), errors: .file(errors))
      #expect(command.wait() == 74)
      let text = String(decoding: try workspace.contents(errors), as: UTF8.self)
      #expect(text.hasPrefix("stdout: ") && text.hasSuffix("\n"))
    }
  }

  @Test("a missing standard output ends with 74 and is never the store's own file")
  func missingOutput() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha", "Beta"]))
    let ingest = try workspace.start(["ingest", file], output: .closed, errors: .closed)
    #expect(ingest.wait() == 74)
    #expect(try workspace.names(of: "universities") == ["Alpha", "Beta"])
    let export = try workspace.start(["export", "universities"], output: .closed)
    #expect(export.wait() == 74)
  }

  @Test("a missing standard input is an input that cannot be read")
  func missingInput() throws {
    let outcome = try workspace.feedcore("ingest", "-", input: .closed)
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.count == 1)
  }
}
