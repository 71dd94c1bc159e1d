import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Images")
struct ImagesTests {
  private let workspace: Workspace
  private let url = "https://example.com/a.png"

  init() throws { workspace = try Workspace() }

  private func put(_ url: String, _ bytes: [UInt8]) throws {
    let file = try workspace.file("image", bytes: bytes)
    guard try workspace.feedcore("images", "put", url, file).status == 0 else {
      throw Workspace.Unexpected()
    }
  }

  private func urls() throws -> Set<String> {
    let list = try workspace.feedcore("images", "list", "--json").json() as? [[String: Any]]
    return Set((list ?? []).compactMap { $0["url"] as? String })
  }

  @Test("get returns a stored image unchanged, through a pipe or as a file")
  func roundTrip() throws {
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try put(url, bytes)
    let outcome = try workspace.feedcore("images", "get", url, "--offline")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.bytes == Data(bytes))
    let file = workspace.path + "/output.png"
    #expect(try workspace.feedcore("images", "get", url, "--output", file).output == "")
    #expect(try workspace.contents(file) == Data(bytes))
  }

  @Test("commands for the whole store make no feeds in a store with images only")
  func imagesAlone() throws {
    try put(url, [1, 2, 3])
    let before = try FileManager.default.subpathsOfDirectory(atPath: workspace.store).sorted()
    let stats = try workspace.feedcore("store", "stats", "--json").object()
    let environments = try #require(stats["environments"] as? [[String: Any]])
    #expect(environments.map { $0["environment"] as? String } == ["images"])
    #expect((stats["generations"] as? [String: Any])?["published"] as? Int == 0)
    let backup = workspace.path + "/backup"
    #expect(try workspace.feedcore("store", "backup", backup).status == 0)
    #expect(try workspace.feedcore("store", "check").status == 0)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: workspace.store).sorted() == before)
    #expect(try workspace.feedcore("store", "compact").status == 0)
    #expect(!FileManager.default.fileExists(atPath: workspace.store + "/feeds"))
    let copy = ["images", "get", url, "--offline", "--store", backup]
    #expect(try workspace.feedcore(copy).bytes == Data([1, 2, 3]))
  }

  @Test("put reads an image from standard input")
  func standardInput() throws {
    let file = try workspace.file("image", bytes: [1, 2, 3])
    #expect(try workspace.feedcore("images", "put", url, "-", input: .file(file)).status == 0)
    #expect(try workspace.feedcore("images", "get", url, "--offline").bytes == Data([1, 2, 3]))
  }

  @Test(
    "metadata that no header field can contain is wrong usage",
    arguments: ["--content-type", "--etag", "--last-modified"])
  func controlCharacters(option: String) throws {
    let file = try workspace.file("image", bytes: [1, 2, 3])
    let value = "text/plain\r\nX-Other: 1"
    #expect(try workspace.feedcore("images", "put", url, file, option, value).status == 64)
    #expect(try workspace.feedcore("images", "put", url, file, option, "text/plain").status == 0)
  }

  @Test("a store with images only has statistics, and can be compacted, backed up and restored")
  func alone() throws {
    try put(url, [1, 2, 3])
    let backup = workspace.path + "/backup"
    for work in [["stats"], ["compact"], ["backup", backup], ["restore", backup]] {
      let outcome = try workspace.feedcore(["store"] + work)
      #expect(outcome.status == 0, "\(work): \(outcome.errors)")
    }
    #expect(try workspace.feedcore("images", "get", url, "--offline").bytes == Data([1, 2, 3]))
  }

  @Test("a missing image ends with 66 and one line")
  func missing() throws {
    let file = workspace.path + "/output.png"
    for _ in 0..<2 {
      for arguments in [["get", url, "--offline", "--output", file], ["remove", url]] {
        let errors = workspace.path + "/errors"
        let command = try workspace.start(["images"] + arguments, errors: .file(errors))
        #expect(command.wait() == 66)
        #expect(try workspace.contents(errors).split(separator: 0x0A).count == 1)
      }
      #expect(!FileManager.default.fileExists(atPath: file))
      try put(url + "?", [1])
    }
  }

  @Test("list prints the metadata as a table and as JSON")
  func list() throws {
    let file = try workspace.file("image", bytes: [UInt8](repeating: 1, count: 1_500))
    #expect(
      try workspace.feedcore(
        "images", "put", url, file, "--content-type", "image/png", "--etag", "\"x\"",
        "--last-modified", "yesterday", "--expires-in", "7200"
      ).status == 0)
    let list = try workspace.feedcore("images", "list", "--json").json() as? [[String: Any]]
    let image = try #require(list?.first)
    #expect(list?.count == 1)
    #expect(image["url"] as? String == url)
    #expect(image["bytes"] as? Int == 1_500)
    #expect(image["contentType"] as? String == "image/png")
    #expect(image["etag"] as? String == "\"x\"")
    #expect(image["lastModified"] as? String == "yesterday")
    #expect(image["isExpired"] as? Bool == false)
    #expect((image["checksum"] as? String)?.count == 16)
    #expect(image["fetched"] is String && image["expires"] is String)
    let lines = try workspace.feedcore("images", "list").lines
    #expect(
      lines.first?.split(separator: " ").map(String.init) == [
        "url", "bytes", "type", "age", "expires",
      ])
    #expect(lines.count == 2)
    #expect(lines[1].hasPrefix(url) && lines[1].contains("1.5 kB  image/png"))
    #expect(lines[1].hasSuffix("in 1 h") || lines[1].hasSuffix("in 2 h"))
  }

  @Test("list prints nothing for a store without images")
  func listNothing() throws {
    #expect(try workspace.feedcore("images", "list", "--json").output == "[]\n")
    #expect(try workspace.feedcore("images", "list").status == 0)
    #expect(try workspace.feedcore("images", "stats").status == 66)
    #expect(try workspace.feedcore("images", "sweep").status == 66)
  }

  @Test("an expired image is not delivered")
  func expired() throws {
    let file = try workspace.file("image", bytes: [1])
    #expect(
      try workspace.feedcore("images", "put", url, file, "--expires-in", "0").status == 0)
    #expect(try workspace.feedcore("images", "get", url, "--offline").status == 66)
    #expect(try workspace.feedcore("images", "list").output.contains("expired"))
  }

  @Test("stats prints the contents of the store as lines and as JSON")
  func stats() throws {
    try put(url, [UInt8](repeating: 1, count: 100_000))
    let object = try workspace.feedcore("images", "stats", "--json").object()
    #expect(object["images"] as? Int == 1)
    #expect(object["bytes"] as? Int == 100_000)
    #expect(object["byteCap"] as? Int == 1 << 30)
    #expect(object["evictions"] as? Int == 0)
    #expect(object["hits"] as? Int == 0 && object["misses"] as? Int == 0)
    #expect(try workspace.feedcore("images", "stats").lines.contains("images: 1"))
  }

  @Test("the cap is set with a new store, printed, and changed; a lower one removes images")
  func cap() throws {
    #expect(try workspace.feedcore("images", "cap").status == 66)
    let file = try workspace.file("image", bytes: [UInt8](repeating: 1, count: 900_000))
    #expect(try workspace.feedcore("images", "put", url, file, "--cap", "4 MB").status == 0)
    #expect(
      try workspace.feedcore("images", "cap").output
        == "4.0 MB, of which 917.5 kB are occupied\n")
    try put(url + "?", [UInt8](repeating: 2, count: 900_000))
    let large = try workspace.file("large", bytes: [UInt8](repeating: 3, count: 1_100_000))
    #expect(try workspace.feedcore("images", "put", url, large, "--cap", "1MiB").status == 65)
    #expect(try urls() == [url, url + "?"])
    #expect(try workspace.feedcore("images", "cap", "1MiB").status == 0)
    #expect(try urls() == [url + "?"])
    #expect(
      try workspace.feedcore("images", "stats", "--json").object()["byteCap"] as? Int == 1 << 20)
    for wrong in ["1MB", "0", "much", "1.5GB", "9999999999TB"] {
      let outcome = try workspace.feedcore("images", "cap", wrong)
      #expect(outcome.status == 64, "\(wrong)")
    }
  }

  @Test("a removed image is not found")
  func remove() throws {
    try put(url, [1])
    #expect(try workspace.feedcore("images", "remove", url).status == 0)
    #expect(try urls() == [])
  }

  @Test("sweep keeps the images of every feed")
  func sweep() throws {
    let named = "https://example.com/image.jpeg"
    try put(named, [1])
    try put(url, [1, 2])
    // No feed refers to images yet, so no image counts as unused.
    let alone = try workspace.feedcore("images", "sweep")
    #expect(alone.output == "removed 0 images (0 expired, 0 damaged), 0 B\n")
    #expect(try urls() == [named, url])
    let feed = try workspace.file("feed.json", Payload.image(url: named))
    let characters = try workspace.file("characters.json", Payload.characters(["a"]))
    for file in [feed, characters] {
      #expect(try workspace.feedcore("ingest", file, "--quiet").status == 0)
    }
    let outcome = try workspace.feedcore("images", "sweep")
    #expect(outcome.output == "removed 1 image (0 expired, 0 damaged), 2 B\n")
    #expect(try urls() == [named])
    #expect(try workspace.feedcore("images", "get", named).bytes == Data([1]))
  }

  @Test("sweep removes expired images from a store with images only")
  func sweepAlone() throws {
    try put(url, [1])
    let file = try workspace.file("expired", bytes: [1, 2])
    #expect(
      try workspace.feedcore("images", "put", url + "?", file, "--expires-in", "0").status == 0)
    let outcome = try workspace.feedcore("images", "sweep")
    #expect(outcome.output == "removed 1 image (1 expired, 0 damaged), 2 B\n")
    #expect(try urls() == [url])
    #expect(!FileManager.default.fileExists(atPath: workspace.store + "/feeds"))
  }

  @Test(
    "put refuses a file whose bytes are not an image, whatever its content type",
    arguments: [
      ("", "nothing"), (#"{"error":"not found"}"#, "JSON"), ("<html></html>", "HTML"),
      ("<?xml version=\"1.0\"?><Error/>", "XML"), ("%PDF-1.7", "PDF"),
    ])
  func noImage(text: String, found: String) throws {
    let file = try workspace.file("file", text)
    let outcome = try workspace.feedcore(
      "images", "put", url, file, "--content-type", "image/png")
    #expect(outcome.status == 65)
    #expect(outcome.errors == "\(file): it has \(found), which is no image\n")
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test("put recognizes the type of an image by its bytes")
  func recognized() throws {
    let file = try workspace.file("image", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
    #expect(
      try workspace.feedcore("images", "put", url, file, "--content-type", "text/html").status == 0)
    let list = try workspace.feedcore("images", "list", "--json").json() as? [[String: Any]]
    #expect(list?.first?["contentType"] as? String == "image/svg+xml")
  }

  @Test(
    "an image is found by the URL that was given and by the URL that list prints",
    arguments: [
      "https://e.com/m%20x[1].png", "https://e.com/a b.png?q[]=é", "https://é.example/100%.jpg",
      "http://u[@e.com/|#a#b", "HTTP://e.com/", "ftp://e.com/a",
    ])
  func leadsBack(given: String) throws {
    try put(given, [1, 2])
    let printed = try #require(try urls().first)
    for url in [given, printed] {
      let outcome = try workspace.feedcore("images", "get", url, "--offline")
      #expect(outcome.bytes == Data([1, 2]), "\(url)")
    }
    try put(printed, [3])
    #expect(try urls() == [printed])
    #expect(try workspace.feedcore("images", "get", given, "--offline").bytes == Data([3]))
    #expect(try workspace.feedcore("images", "remove", given).status == 0)
    #expect(try urls() == [])
  }

  @Test("a relative URL of a record is resolved against the URL of its feed")
  func relative() throws {
    var options = IngestOptions()
    options.feed = try FeedName("feed")
    let database = try FeedDatabase.open(at: workspace.store)
    let push = database.push(from: "https://e.com/v1/feed", options: options)
    try push.feed(Array(Payload.image(url: "/a b.png").utf8))
    _ = try push.finish()
    try put("/a b.png", [1, 2])
    #expect(try urls() == ["https://e.com/a%20b.png"])
    for url in ["/a b.png", "//e.com/a b.png", "../a%20b.png", "https://e.com/a b.png"] {
      let outcome = try workspace.feedcore("images", "get", url, "--offline")
      #expect(outcome.bytes == Data([1, 2]), "\(url)")
    }
    #expect(try workspace.feedcore("images", "sweep").status == 0)
    #expect(try urls().count == 1)
    #expect(try workspace.feedcore("images", "remove", "/a b.png").status == 0)
    #expect(try urls() == [])
  }

  @Test("a read that finds no image is counted once")
  func misses() throws {
    try put(url, [1])
    func count() throws -> Int? {
      let lookups = try workspace.feedcore("images", "stats", "--json").object()
      return lookups["misses"] as? Int
    }
    let before = try #require(try count())
    // No process listens at this port.
    let missing = "http://127.0.0.1:1/a[1].png"
    #expect(try workspace.feedcore("images", "get", missing, "--offline").status == 66)
    #expect(try count() == before + 1)
    #expect(try workspace.feedcore("images", "get", missing).status == 69)
    #expect(try count() == before + 2)
  }

  @Test("an image that one process has read is not the first that another evicts")
  func accessAcrossProcesses() throws {
    _ = try ImageStore.open(at: workspace.store, options: .init(byteCap: 1 << 20))
    let bytes = [UInt8](repeating: 7, count: 200_000)
    for name in ["a", "b", "c", "d"] { try put("https://example.com/\(name)", bytes) }
    let data = workspace.store + "/images/data.mdb"
    let before = try workspace.contents(data)
    #expect(try workspace.feedcore("images", "get", "https://example.com/a").status == 0)
    #expect(try workspace.contents(data) == before)
    try put("https://example.com/e", bytes)
    #expect(try urls() == Set(["a", "c", "d", "e"].map { "https://example.com/\($0)" }))
  }

  @Test("an image over 16 MiB, a missing file and a relative URL end with 65, 66 and 64")
  func refused() throws {
    let file = try workspace.file("image", bytes: [UInt8](repeating: 0, count: 16 << 20 | 1))
    let tooLarge = try workspace.feedcore("images", "put", url, file)
    #expect(tooLarge.status == 65)
    #expect(tooLarge.errorLines.count == 1)
    #expect(try workspace.feedcore("images", "put", url, "no such file").status == 66)
    #expect(try workspace.feedcore("images", "put", url, workspace.path).status == 66)
    #expect(try workspace.feedcore("images", "put", "a.png", file).status == 64)
    #expect(try workspace.feedcore("images", "put", url, file, "--expires-in=-1").status == 64)
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test("an image is not written to a terminal")
  func terminal() throws {
    try put(url, [1])
    var (master, terminal): (CInt, CInt) = (-1, -1)
    try #require(openpty(&master, &terminal, nil, nil, nil) == 0)
    defer { close(master) }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    let errors = workspace.path + "/errors"
    let command = try workspace.start(
      ["images", "get", url], output: .descriptor(terminal), errors: .file(errors))
    close(terminal)
    #expect(command.wait() == 64)
    let text = String(decoding: try workspace.contents(errors), as: UTF8.self)
    #expect(text.contains("--output"))
  }
}
