import Foundation
import TestSupport
import Testing

@Suite("Completion of command lines")
struct CompletionTests {
  private static let paths = [
    "id", "type", "payload", "payload.size", "payload.tags", "payload.tags[]",
    "payload.tags[].name",
  ]

  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    let line = #"{"id":1,"type":"Push","payload":{"size":3,"tags":[{"name":"a"}]},"a b":1,"#
    // Keys that a shell would expand.
    let file = try workspace.file(
      "events.json", line + #""$(touch '\#(workspace.path)/made')":1,"`id`":1,"q\"":1,"<":1}"#)
    guard try workspace.feedcore("ingest", file, "--single").status == 0 else {
      throw Workspace.Unexpected()
    }
  }

  /// The candidates that a shell gets for the last of these words.
  private func candidates(
    _ command: String, _ argument: String, _ words: String..., environment: [String: String] = [:]
  ) throws -> Workspace.Outcome {
    let last = words.last ?? ""
    return try workspace.feedcore(
      ["---completion"] + command.split(separator: " ").map(String.init)
        + ["--", argument, "\(words.count - 1)", "\(last.count)"] + words,
      environment: environment)
  }

  @Test(
    "every argument and option that names a feed offers the feeds",
    arguments: ["show", "get", "detail", "export", "schema show", "delete", "validate"])
  func feeds(_ command: String) throws {
    let words = ["feedcore"] + command.split(separator: " ").map(String.init)
    let outcome = try candidates(command, "positional@0", words[0], words[1], "")
    #expect(outcome.status == 0)
    #expect(outcome.lines == ["events", "universities"])
    #expect(
      try candidates("ingest", "--feed", "feedcore", "ingest", "x", "--feed", "").lines
        == ["events", "universities"])
  }

  @Test("the store is that of --store on the command line, else that of the environment")
  func store() throws {
    let other = workspace.path + "/other store"
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    #expect(
      try workspace.feedcore("ingest", file, "--feed", "elsewhere", "--store", other).status == 0)
    for words in [["--store", "'\(other)'"], ["--store=\(other)"], ["--store", "=", other]] {
      let outcome = try workspace.feedcore(
        [
          "---completion", "show", "--", "positional@0", "\(words.count + 2)", "0", "feedcore",
          "show",
        ]
          + words + [""])
      #expect(outcome.lines == ["elsewhere"], "\(words)")
    }
    let home = try candidates(
      "show", "positional@0", "feedcore", "show", "--store", "~/other\\ store", "")
    #expect(home.lines == ["elsewhere"])
  }

  @Test("options for paths offer the paths of the feed, after the text already typed")
  func paths() throws {
    for option in ["--where", "--distinct", "--fields"] {
      #expect(
        try candidates("show", option, "feedcore", "show", "events", option, "").lines == Self.paths
      )
    }
    // The feed may also come after the option.
    let early = try workspace.feedcore(
      "---completion", "export", "--", "--where", "3", "0", "feedcore", "export", "--where", "",
      "events")
    #expect(early.lines == Self.paths)
    #expect(
      try candidates("export", "--fields", "feedcore", "export", "events", "--fields", "'type,p")
        .lines == Self.paths.map { "type," + $0 })
    let sort = try candidates("show", "--sort", "feedcore", "show", "events", "--sort", "-p")
    #expect(sort.lines == Self.paths.filter { !$0.contains("[]") }.map { "-" + $0 })
    let contract = try candidates(
      "show", "--where", "feedcore", "show", "universities", "--where", "")
    #expect(contract.lines.starts(with: ["name", "domains", "web_pages", "country"]))
  }

  @Test("without a store, a feed or a sound file there are no candidates, no errors and no store")
  func nothing() throws {
    let none = workspace.path + "/none"
    let damaged = workspace.path + "/damaged"
    try FileManager.default.copyItem(atPath: workspace.store, toPath: damaged)
    try Data(repeating: 0xA5, count: 9_000).write(
      to: URL(fileURLWithPath: damaged + "/feeds/data.mdb"))
    for outcome in [
      try candidates("show", "positional@0", "feedcore", "show", "--store", none, ""),
      try candidates("show", "positional@0", "feedcore", "show", "--store", "s3://bucket", ""),
      try candidates("show", "positional@0", "feedcore", "show", "--store", damaged, ""),
      try candidates("show", "--where", "feedcore", "show", "nope", "--where", ""),
      try candidates("show", "--fields", "feedcore", "show", "events", "--fields", "$(id),"),
      try candidates(
        "show", "positional@0", "feedcore", "show", "",
        environment: ["FEEDCORE_STORE": "", "HOME": ""]),
    ] {
      #expect(outcome.status == 0)
      #expect(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines) == "")
      #expect(outcome.errors == "")
    }
    #expect(!FileManager.default.fileExists(atPath: none))
  }

  @Test("a store that does not answer has no candidates", .timeLimit(.minutes(1)))
  func silentStore() throws {
    let store = workspace.path + "/pipe"
    try FileManager.default.createDirectory(
      atPath: store + "/feeds", withIntermediateDirectories: true)
    try #require(mkfifo(store + "/feeds/data.mdb", 0o600) == 0)
    let outcome = try candidates("show", "positional@0", "feedcore", "show", "--store", store, "")
    #expect(outcome.status == 0)
    #expect(outcome.output + outcome.errors == "")
  }

  @Test("the script of bash asks the program, and runs nothing that the store contains")
  func bash() throws {
    func replies(_ words: String...) throws -> [String] {
      let script = try workspace.file(
        "complete.bash",
        """
        source /dev/stdin <<<"$("$1" --generate-completion-script bash)"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        _feedcore "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """)
      let list = words.map { "'\($0)'" }.joined(separator: " ")
      return try workspace.shell("bash '\(script)' \"$1\" \(list)").text
        .split(separator: "\n").map(String.init)
    }
    #expect(try replies("show", "") == ["events", "universities"])
    #expect(try replies("get", "un") == ["universities"])
    #expect(
      try replies("show", "events", "--where", "payload.t") == [
        "payload.tags", "payload.tags[]", "payload.tags[].name",
      ])
    #expect(try replies("export", "events", "--fields", "id,ty") == ["id,type"])
    #expect(try replies("show", "events", "--store", "/nowhere", "--where", "") == [])
    #expect(!FileManager.default.fileExists(atPath: workspace.path + "/made"))
  }

  @Test("the scripts of all shells ask the program", arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) throws {
    let script = try workspace.feedcore("--generate-completion-script", shell).output
    for call in [
      "show -- positional@0", "get -- positional@0", "schema show -- positional@0",
      "show -- --where", "show -- --sort", "show -- --distinct", "export -- --fields",
    ] {
      #expect(script.contains("---completion \(call)"), "\(call)")
    }
  }
}
