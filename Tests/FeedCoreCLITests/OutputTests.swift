import Foundation
import TestSupport
import Testing

@Suite("The target of --output")
struct OutputTests {
  private let workspace: Workspace
  private let directory: String
  private let payload = Payload.universities(["Alpha", "Beta", "Gamma"])

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    directory = workspace.path + "/out"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }

  private func link(_ name: String, to target: String) throws -> String {
    let path = "\(directory)/\(name)"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    return path
  }

  private func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// Runs a line of the shell, whose `$1` is the program, in the directory.
  private func shell(_ line: String) throws -> (status: Int32, text: String) {
    try workspace.shell("cd '\(directory)'; \(line)")
  }

  // A link like /dev/stdout. A failure with /dev/stdout itself would destroy it.
  @Test("a link to standard output stays a link, and its target gets the output")
  func linkToOutput() throws {
    let link = try link("stdout", to: "/dev/fd/1")
    for name in [link, "/dev/fd/1"] {
      let outcome = try workspace.feedcore("export", "universities", "--output", name)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == payload)
    }
    #expect(isLink(link))
    #expect(try names() == ["stdout"])
  }

  @Test("output to a descriptor continues at its offset")
  func descriptor() throws {
    let outcome = try shell(
      "echo first >it; \"$1\" export universities --output /dev/fd/5 5>>it;"
        + " (\"$1\" export universities --output /dev/fd/1; echo last) >>it")
    #expect(outcome.status == 0, "\(outcome.text)")
    let contents = String(decoding: try workspace.contents(directory + "/it"), as: UTF8.self)
    #expect(contents == "first\n\(payload)\(payload)last\n")
  }

  @Test("a descriptor that the command itself has opened is refused as output")
  func ownDescriptors() throws {
    for number in 3..<16 {
      let outcome = try workspace.feedcore(
        "export", "universities", "--output", "/dev/fd/\(number)")
      #expect(outcome.status == 74)
    }
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("a link stays a link, and its target is replaced or made")
  func links() throws {
    _ = try workspace.file("out/old.json", "old")
    let links = try [
      link("old", to: "old.json"), link("new", to: directory + "/new.json"),
      link("far", to: "old"),
    ]
    for link in links {
      #expect(try workspace.feedcore("export", "universities", "--output", link).status == 0)
      #expect(isLink(link))
      #expect(try workspace.contents(link) == Data(payload.utf8))
    }
    #expect(!isLink(directory + "/old.json") && !isLink(directory + "/new.json"))
    #expect(try names() == ["far", "new", "new.json", "old", "old.json"])
  }

  @Test("a loop of links ends with 74")
  func endlessLinks() throws {
    let link = try link("there", to: "back")
    _ = try self.link("back", to: "there")
    let outcome = try workspace.feedcore("export", "universities", "--output", link)
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.count == 1)
    #expect(isLink(link))
  }

  @Test("a replaced file keeps its mode, and a new one has that of the process")
  func modes() throws {
    for mode in [0o600, 0o664, 0o444] as [mode_t] {
      let file = try workspace.file("out/\(mode)", "old")
      chmod(file, mode)
      #expect(try workspace.feedcore("export", "universities", "--output", file).status == 0)
      #expect(self.mode(file) == mode)
      #expect(try workspace.contents(file) == Data(payload.utf8))
    }
    #expect(try shell("umask 027; exec \"$1\" export universities --output new").status == 0)
    #expect(mode(directory + "/new") == 0o640)
  }

  @Test("the remains of a killed process do not prevent the next one from writing")
  func leftover() throws {
    // The program replaces the shell and has its process id.
    let outcome = try shell(": >.it.$$; exec \"$1\" export universities --output it")
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(try workspace.contents(directory + "/it") == Data(payload.utf8))
  }

  @Test("a file over its size limit ends with 74 and one line, and is removed")
  func fileLimit() throws {
    let file = try workspace.sample("universities", 2_000)
    #expect(try workspace.feedcore("ingest", file, "--feed", "large").status == 0)
    let outcome = try shell("ulimit -f 16; exec \"$1\" export large --output it")
    #expect(outcome.status == 74)
    #expect(outcome.text == "it: File too large\n")
    #expect(try names() == [])
  }
}
