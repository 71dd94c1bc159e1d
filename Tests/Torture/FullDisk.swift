import FeedCore
import FeedStorage
import Foundation
import TestSupport

/// Fills a small disk and a small map. A write that does not fit is refused with an error that says
/// so. Existing feeds stay complete, and deleting a feed makes room again.
enum FullDisk: TorturePart {
  static let name = "disk-full"
  static let faults = ["silent-full", "no-tick"]

  static func run(_ options: TortureOptions) throws -> String {
    let loops = options.pick(ci: 10, full: 100)
    let inMap = try fillMap(options, loops: loops)
    if options.fault == "no-tick" { return inMap }
    let looking = try fillDisk(options, loops: loops, isRoomy: false, else: inMap)
    let surprised = try fillDisk(options, loops: loops, isRoomy: true, else: inMap)
    return "disk: \(looking); disk that others fill: \(surprised); \(inMap)"
  }

  private static func fillDisk(
    _ options: TortureOptions, loops: Int, isRoomy: Bool, else figures: String
  ) throws -> String {
    let disk = options.workspace + (isRoomy ? "/roomy" : "/disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    guard try mount(disk) else {
      throw TortureSkip("no small disk can be mounted here (root can); \(figures)")
    }
    defer { _ = try? Self.command("/bin/umount", ["-l", disk]) }
    // Reserves room for a lock file, because the disk may be full when the file is needed.
    try Data(count: 128 << 10).write(to: URL(fileURLWithPath: disk + "/reserve"))
    let store = FullDiskStore(options, store: disk + "/store", isRoomy: isRoomy)
    var filling = FillingUp(store, loops: loops, seed: options.seed)
    let figures = try filling.run()
    if options.fault == nil, !isRoomy {
      try openWithoutRoom(store, disk)
      try readWhereNobodyWrites(store, disk)
    }
    return figures
  }

  /// A read requires LMDB's lock file, which does not fit on a full disk.
  private static func openWithoutRoom(_ store: FullDiskStore, _ disk: String) throws {
    try FileManager.default.removeItem(atPath: store.environment + "/lock.mdb")
    let filling = open(disk + "/filling", O_WRONLY | O_CREAT, 0o600)
    let page = [UInt8](repeating: 1, count: 4_096)
    while write(filling, page, page.count) > 0 {}
    close(filling)
    try store.refuseToOpen()
    unlink(disk + "/filling")
    unlink(disk + "/reserve")
    _ = try store.contents()
  }

  /// Reads a store without lock files, such as a backup, on a disk that is mounted read-only.
  private static func readWhereNobodyWrites(_ store: FullDiskStore, _ disk: String) throws {
    let contents = try store.contents()
    try store.removeLocks()
    try demand(
      try command("/bin/mount", ["-o", "remount,ro", disk]) == 0, "no disk mounted read-only")
    try demand(try store.contents() == contents, "a read-only disk holds something else")
    try store.refuseToWrite()
  }

  private static func fillMap(_ options: TortureOptions, loops: Int) throws -> String {
    let process = try LineProcess("the process with a small map") { input, output in
      // The environment itself limits the small map, so only one fault needs the preload library.
      var environment: [String: String] = [:]
      if options.fault == "no-tick" {
        environment = ["LD_PRELOAD": options.preload, "TORTURE_FAULT": "no-tick"]
      }
      return try options.child(
        of: FullDisk.self, ["map", options.workspace, "\(loops)", "\(options.seed)"],
        environment: environment, input: input, output: output)
    }
    let reply = try process.reply(seconds: 600)
    try demand(reply.hasPrefix("map: "), reply)
    return reply
  }

  static func child(_ words: [String]) throws {
    guard words.count == 4, let loops = Int(words[2]), let seed = UInt64(words[3]) else {
      throw TortureFailure("\(words)?")
    }
    do {
      var map = try FullMap(words[1] + "/plain", seed: seed)
      let transactions = try map.run(loops: loops)
      let store = try FullMapStore(store: words[1] + "/mapped", workspace: words[1])
      var filling = FillingUp(store, loops: loops, seed: seed)
      print("map: \(transactions), \(try filling.run())")
    } catch {
      print("\(error)".replacing("\n", with: " "))
    }
  }

  private static func mount(_ directory: String) throws -> Bool {
    try command("/bin/mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", directory]) == 0
  }

  private static func command(_ path: String, _ words: [String]) throws -> Int32 {
    guard access(path, X_OK) == 0 else { return 127 }
    return try RunningCommand(
      path, words, environment: [:], input: .nothing, output: .nothing, errors: .nothing
    ).wait()
  }
}
