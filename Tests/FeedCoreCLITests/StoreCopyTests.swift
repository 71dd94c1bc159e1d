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

  /// Stores images of the formats that are recognized by their first bytes.
  private func storeImages() throws {
    for (name, size) in [("a", 100), ("b", 200_000)] {
      let bytes =
        [UInt8]([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        + [UInt8](
          repeating: UInt8(size % 251), count: size)
      let file = workspace.path + "/\(name).png"
      try Data(bytes).write(to: URL(filePath: file))
      let url = "https://example.com/\(name).png"
      let put = try workspace.feedcore("images", "put", url, file, "--etag", "\"\(name)\"")
      #expect(put.status == 0)
    }
    let expired = try workspace.feedcore(
      "images", "put", "https://example.com/old.png", workspace.path + "/a.png", "--expires-in", "0"
    )
    #expect(expired.status == 0)
  }

  @Test("copies the images that have not expired, with their metadata, only with --images")
  func images() throws {
    try storeImages()
    let target = workspace.path + "/other"
    let without = try workspace.feedcore("store", "copy", "--to", target)
    #expect(without.status == 0 && !without.output.contains("image"))
    let with = try workspace.feedcore("store", "copy", "--to", target, "--images")
    #expect(with.status == 0)
    #expect(with.output.hasSuffix("2 images, 200.1 kB\n"))
    func list(_ store: String) throws -> Set<Substring> {
      let list = try workspace.feedcore("images", "list", "--json", "--store", store).output
      return Set(
        list.split(separator: "\n").filter { $0.contains("\"isExpired\":false") }
          .map { $0.hasSuffix(",") ? $0.dropLast() : $0 })
    }
    #expect(try list(target) == list(workspace.store))
    #expect(try list(target).count == 2)
    let url = "https://example.com/b.png"
    for store in [target, workspace.store] {
      let output = workspace.path + "/got.png"
      let got = try workspace.feedcore("images", "get", url, "--store", store, "--output", output)
      #expect(got.status == 0)
      #expect(
        FileManager.default.contentsEqual(atPath: output, andPath: workspace.path + "/b.png"))
      try FileManager.default.removeItem(atPath: output)
    }
  }

  @Test("copies no image if the cap of the target is too low, and reports images as JSON")
  func imagesUnderACap() throws {
    try storeImages()
    let target = workspace.path + "/other"
    let copy = ["store", "copy", "--to", target, "--feeds", "events", "--images", "--json"]
    let outcome = try workspace.feedcore(copy)
    #expect(
      outcome.output
        == "[\n{\"feed\":\"events\",\"records\":2,\"generation\":1},\n"
        + "{\"images\":2,\"bytes\":200116,\"evictions\":0}\n]\n")
    #expect(try workspace.feedcore("images", "cap", "1MiB", "--store", target).status == 0)
    let many = try workspace.file("c.gif", "GIF89a" + String(repeating: "x", count: 1 << 20))
    #expect(
      try workspace.feedcore("images", "put", "https://example.com/c.gif", many).status == 0)
    let refused = try workspace.feedcore(copy)
    #expect(refused.status == 65 && refused.errors.contains("feedcore images cap BYTES --store"))
    let list = try workspace.feedcore("images", "list", "--json", "--store", target).output
    #expect(!list.contains("c.gif"))
  }
}
