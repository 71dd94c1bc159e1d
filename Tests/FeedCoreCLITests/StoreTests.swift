import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("store")
struct StoreTests {
  private let workspace: Workspace
  private var data: String { workspace.store + "/feeds/data.mdb" }
  private var backup: String { workspace.path + "/backup" }

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
  }

  // MARK: check

  @Test("the exit code of check distinguishes a sound store from one with findings")
  func check() throws {
    let sound = try workspace.feedcore("store", "check")
    #expect(sound.status == 0, "\(sound.errors)")
    #expect(sound.output.hasPrefix("feeds: sound, "))
    try damage { bytes in
      guard let text = bytes.firstRange(of: Data("Beta".utf8)) else { return }
      bytes[text.lowerBound] ^= 1
    }
    let damaged = try workspace.feedcore("store", "check")
    #expect(damaged.status == 65)
    #expect(damaged.lines.first?.hasPrefix("feeds: segment ") == true)
    #expect(damaged.errors == "")
  }

  @Test("check --json is an array with an object for each environment")
  func checkJSON() throws {
    let outcome = try workspace.feedcore("store", "check", "--json")
    let reports = try outcome.json() as? [[String: Any]] ?? []
    #expect(reports.count == 1)
    #expect(reports.first?["environment"] as? String == "feeds")
    #expect(reports.first?["sound"] as? Bool == true)
    #expect(reports.first?["records"] as? Int == 3)
    #expect(reports.first?["findings"] as? [String] == [])
  }

  @Test("check verifies images too, and finds a flipped bit, a missing and an unexpected image")
  func checkImages() throws {
    let images = try ImageStore.open(at: workspace.store)
    let data = workspace.store + "/images/data.mdb"
    let bytes = [UInt8](repeating: 0x5A, count: 5_000)
    for number in 0..<3 {
      try images.insert(bytes.span.bytes, for: "https://example.com/\(number)")
    }
    let sound = try workspace.feedcore("store", "check")
    #expect(sound.status == 0, "\(sound.errors)")
    #expect(sound.lines.last?.hasSuffix(" pages, 3 images") == true, "\(sound.output)")
    let whole = try workspace.contents(data)
    for (text, count) in [(String(repeating: "Z", count: 1_000), 1), ("https://example.com/1", 2)] {
      try damage(data) { bytes in
        // Pages that are free may hold older copies.
        for place in bytes.ranges(of: Data(text.utf8)) { bytes[place.upperBound - 1] ^= 2 }
      }
      let outcome = try workspace.feedcore("store", "check", "--json")
      #expect(outcome.status == 65)
      let reports = try outcome.json() as? [[String: Any]] ?? []
      #expect(reports.map { $0["sound"] as? Bool } == [true, false])
      let findings = try #require(reports.last?["findings"] as? [String])
      #expect(findings.count >= count, "\(findings)")
      try whole.write(to: URL(fileURLWithPath: data))
    }
  }

  @Test("check reports a missing store")
  func checkNothing() throws {
    #expect(try workspace.feedcore("store", "check", "--store", workspace.path).status == 66)
  }

  @Test("a crash by a damaged file is a finding of check, not its end")
  func crash() throws {
    try mislead(.tables)
    let outcome = try workspace.feedcore("store", "check", "--json")
    #expect(outcome.status == 65, "\(outcome.errors)")
    let reports = try outcome.json() as? [[String: Any]] ?? []
    #expect(reports.first?["findings"] as? [String] == ["reading it ended a process by SIGBUS"])
  }

  @Test("check --quarantine keeps the moved files, and the next ingest makes a new store")
  func quarantine() throws {
    try mislead(.tables)
    let outcome = try workspace.feedcore("store", "check", "--quarantine")
    #expect(outcome.status == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.contains("restore"))
    let names = try FileManager.default.contentsOfDirectory(atPath: workspace.store)
    let place = try #require(names.first { $0.hasPrefix("feeds.corrupt-") })
    #expect(outcome.errors.contains(place))
    #expect(!names.contains("feeds"))
    try workspace.publishUniversities()
    #expect(try workspace.names(of: "universities") == ["Alpha", "Beta", "Gamma"])
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  // MARK: A damaged map

  @Test("a command that reads a damaged map ends with one line and exit code 74")
  func damagedMap() throws {
    try mislead(.tables)
    let outcome = try workspace.feedcore("export", "universities")
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.contains("the store is damaged; run `feedcore store check`"))
  }

  @Test("a damaged free list is found before anything is written, with one line and exit code 74")
  func damagedFreeList() throws {
    try mislead(.freeList)
    let file = try workspace.file("new.json", Payload.universities(["New"]))
    let outcome = try workspace.feedcore("ingest", file)
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.contains("its free list is damaged"))
  }

  // MARK: compact, backup, restore, stats

  @Test("compact shrinks the file and changes no data, also for processes that have it open")
  func compact() throws {
    for _ in 0..<3 {
      let file = try workspace.sample("universities", 20_000)
      #expect(try workspace.feedcore("ingest", file, "--feed", "large").status == 0)
    }
    #expect(try workspace.feedcore("delete", "large").status == 0)
    let attached = try FeedDatabase.open(at: workspace.store)
    let name = try FeedName("universities")
    #expect(try attached.feedDescription(named: name)?.recordCount == 3)
    let before = try workspace.snapshot()

    let outcome = try workspace.feedcore("store", "compact", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try #require((try outcome.json() as? [[String: Any]])?.first)
    let bytesBefore = try #require(report["bytesBefore"] as? Int)
    let bytesAfter = try #require(report["bytesAfter"] as? Int)
    #expect(bytesAfter * 10 < bytesBefore)
    #expect(try workspace.snapshot() == before)
    #expect(try workspace.feedcore("store", "check").status == 0)

    // Both processes continue to write, and each sees the other's changes.
    try workspace.publishUniversities(feed: "theirs")
    #expect(try attached.feeds().map(\.name.text) == ["theirs", "universities"])
    #expect(try attached.delete(FeedName("theirs")))
    #expect(try workspace.records(of: "theirs") == nil)
  }

  @Test("an ingest in progress is published into the compacted store")
  func compactDuringIngest() throws {
    let ingest = try OpenIngest(workspace, names: ["Open"])
    #expect(try workspace.feedcore("store", "compact").status == 0)
    #expect(ingest.finish() == 0)
    #expect(try workspace.names(of: "universities") == ["Open"])
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("compact leaves the store intact if it is killed at any moment", .timeLimit(.minutes(10)))
  func killedCompact() throws {
    let file = try workspace.sample("universities", 20_000)
    #expect(try workspace.feedcore("ingest", file, "--feed", "large").status == 0)
    let before = try workspace.snapshot()
    let clock = ContinuousClock()
    let duration = try clock.measure { _ = try workspace.feedcore("store", "compact") }
    for kill in 0..<12 {
      let command = try workspace.start(["store", "compact"])
      usleep(UInt32(duration / .microseconds(1) * Double(kill) / 11))
      command.send(SIGKILL)
      _ = command.wait()
      #expect(try workspace.snapshot() == before)
    }
    #expect(try workspace.feedcore("store", "compact").status == 0)
    #expect(try workspace.feedcore("store", "check").status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: workspace.store)
    #expect(names.sorted() == ["feeds", "locks"])
  }

  @Test("a backup is restored unchanged, and is not overwritten")
  func backupAndRestore() throws {
    let before = try workspace.snapshot()
    #expect(try workspace.feedcore("store", "backup", backup).status == 0)
    #expect(try workspace.feedcore("store", "backup", backup).status == 64)
    try workspace.publishUniversities(feed: "late")
    let outcome = try workspace.feedcore("store", "restore", backup, "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try outcome.object()["environments"] as? [String] == ["feeds"])
    #expect(try workspace.snapshot() == before)
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("the backup of a damaged store is reported as one that cannot be restored")
  func backupOfDamage() throws {
    try damage { bytes in
      guard let text = bytes.firstRange(of: Data("Beta".utf8)) else { return }
      bytes[text.lowerBound] ^= 1
    }
    let outcome = try workspace.feedcore("store", "backup", backup)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("cannot be restored: segment "))
  }

  @Test("directories may have names that begin with a dash")
  func dashes() throws {
    let (status, text) = try workspace.shell(
      "cd '\(workspace.path)' && mv store ./-st && \"$1\" store check --store=-st"
        + " && \"$1\" store backup --store=-st -- -bk"
        + " && \"$1\" store restore --store=-st -- -bk")
    #expect(status == 0)
    #expect(text.hasPrefix("feeds: sound, ") && text.split(separator: "\n").count == 1, "\(text)")
  }

  @Test("a damaged backup is refused, and the store is unchanged")
  func damagedBackup() throws {
    #expect(try workspace.feedcore("store", "backup", backup).status == 0)
    let before = try workspace.snapshot()
    #expect(truncate(backup + "/feeds/data.mdb", 20_000) == 0)
    let outcome = try workspace.feedcore("store", "restore", backup)
    #expect(outcome.status == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(try workspace.snapshot() == before)
  }

  @Test("stats shows the bytes, the readers and the generations")
  func stats() throws {
    let table = try workspace.feedcore("store", "stats")
    #expect(table.status == 0)
    #expect(table.lines.last == "generations: 1 published, 0 being built, 0 dead")
    let object = try workspace.feedcore("store", "stats", "--json").object()
    let environment = try #require((object["environments"] as? [[String: Any]])?.first)
    #expect(environment["environment"] as? String == "feeds")
    #expect(environment["fileBytes"] as? Int ?? 0 > 0)
    #expect((object["generations"] as? [String: Int])?["published"] == 1)
    #expect((environment["readers"] as? [Any])?.isEmpty == true)
  }

  @Test("stats shows the readers of other processes, and not the command itself")
  func readers() throws {
    let database = try FeedDatabase.open(at: workspace.store)
    var readers: [[String: Any]]?
    try database.forEachRecord(in: FeedName("universities")) { _, _ throws(StoreError) in
      let object = try? workspace.feedcore("store", "stats", "--json").object()
      readers = (object?["environments"] as? [[String: Any]])?.first?["readers"] as? [[String: Any]]
      return false
    }
    #expect(readers?.map { $0["process"] as? Int } == [Int(getpid())])
  }

  @Test("stats shows hits and misses of all processes, and a compaction keeps them")
  func lookups() throws {
    for (key, status) in [("Alpha", 0), ("Beta", 0), ("None", 1)] as [(String, Int32)] {
      #expect(try workspace.feedcore("get", "universities", key).status == status)
    }
    let images = try ImageStore.open(at: workspace.store)
    #expect(try images.retrieve("https://example.com/a") == nil)
    #expect(try workspace.feedcore("store", "compact").status == 0)
    let object = try workspace.feedcore("store", "stats", "--json").object()
    let environments = try #require(object["environments"] as? [[String: Any]])
    let lookups = environments.map { $0["lookups"] as? [String: Int] }
    #expect(lookups == [["hits": 2, "misses": 1], ["hits": 0, "misses": 1]])
    let heading = try #require(try workspace.feedcore("store", "stats").lines.first)
    #expect(heading.contains("hits  misses"))
  }

  // MARK: Damage

  private func damage(_ body: (inout Data) -> Void) throws { try damage(data, body) }

  private func damage(_ file: String, _ body: (inout Data) -> Void) throws {
    var bytes = try workspace.contents(file)
    body(&bytes)
    try bytes.write(to: URL(fileURLWithPath: file))
  }

  /// The two trees of a meta page, by the offsets of their roots in it.
  private enum Tree: Int {
    case freeList = 80
    case tables = 128
  }

  /// Moves the nodes of a tree's root beyond the end of the file.
  private func mislead(_ tree: Tree) throws {
    let pageSize = 4096
    try damage { bytes in
      let commits = [0, pageSize].map { Self.number(bytes, $0 + 144, 8) }
      let meta = commits[1] > commits[0] ? pageSize : 0
      let root = Self.number(bytes, meta + tree.rawValue, 8) * pageSize
      for offset in stride(from: root + 16, to: root + Self.number(bytes, root + 12, 2), by: 2) {
        bytes.replaceSubrange(offset..<offset + 2, with: [0xF0, 0xFF])
      }
    }
  }

  private static func number(_ bytes: Data, _ offset: Int, _ size: Int) -> Int {
    bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
