import Foundation
import TestSupport
import Testing

@Suite("store copy")
struct StoreCopyTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    let lines = try workspace.file("events.json", "{\"id\":2.50,\"a\":[1]}\n{\"id\":\"x\"}\n")
    #expect(try workspace.feedcore("ingest", lines, "--key", "id").status == 0)
  }

  @Test("copies all feeds, and their exports have the same bytes")
  func all() throws {
    let target = workspace.path + "/other"
    let outcome = try workspace.feedcore("store", "copy", "--to", target)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("events: 2 records, generation 1\n"))
    for name in ["events", "universities"] {
      let copy = try workspace.feedcore("export", name, "--store", target)
      #expect(copy.output == (try workspace.feedcore("export", name).output))
    }
    #expect(try workspace.feedcore("get", "events", "2.5", "--store", target).status == 0)
    #expect(try workspace.feedcore("store", "check", "--store", target).status == 0)
  }

  @Test("copies the named feeds, as JSON too")
  func some() throws {
    let target = workspace.path + "/other"
    let outcome = try workspace.feedcore(
      "store", "copy", "--to", target, "--feeds", "events", "--json")
    #expect(outcome.output == "[\n{\"feed\":\"events\",\"records\":2,\"generation\":1}\n]\n")
    #expect(try workspace.feedcore("get", "universities", "x", "--store", target).status == 66)
  }

  @Test("copies nothing if a feed is unknown, if none is named, or into the same store")
  func refused() throws {
    let target = workspace.path + "/other"
    let unknown = try workspace.feedcore(
      "store", "copy", "--to", target, "--feeds", "events,nope")
    #expect(unknown.status == 66 && unknown.errors.contains("nope"))
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(try workspace.feedcore("store", "copy", "--to", target, "--feeds", ",").status == 64)
    #expect(try workspace.feedcore("store", "copy", "--to", "").status == 64)
    let same = try workspace.feedcore("store", "copy", "--to", workspace.store)
    #expect(same.status == 64 && same.errors.contains("in this store already"))
  }
}
