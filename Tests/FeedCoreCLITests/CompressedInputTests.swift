import Foundation
import TestSupport
import Testing

@Suite("Compressed input", .timeLimit(.minutes(10)))
struct CompressedInputTests {
  private let workspace: Workspace
  private let names = ["Alpha", "Beta", "Gamma", "Delta"]

  init() throws { workspace = try Workspace() }

  private func universities() throws -> [UInt8] {
    try Array(workspace.contents(workspace.sample("universities", 20_000)))
  }

  /// Runs a command with at most 160 MB of private memory (on Linux).
  private func confined(_ arguments: String...) throws -> (status: Int32, errors: String) {
    let errors = "\(workspace.path)/errors"
    let command = try RunningCommand(
      "/bin/sh", ["-c", #"ulimit -d 160000; exec "$0" "$@""#, try Binary.path()] + arguments,
      environment: ["FEEDCORE_STORE": workspace.store, "HOME": workspace.path], input: .nothing,
      output: .nothing, errors: .file(errors))
    return (command.wait(), String(decoding: try workspace.contents(errors), as: UTF8.self))
  }

  @Test("by gzip is ingested as the array in it")
  func array() throws {
    let packed = try Packed.gzip(Array(Payload.universities(names).utf8))
    let file = try workspace.file("universities.json.gz", bytes: packed)
    #expect(try workspace.feedcore("ingest", file).status == 0)
    #expect(try workspace.names(of: "universities") == names)
  }

  @Test("by zstd is ingested as the lines in it, and detected by its bytes, not its name")
  func lines() throws {
    let frames =
      try Packed.zstd(Array(Payload.lines(["Alpha", "Beta"]).utf8))
      + Packed.zstd(Array(Payload.lines(["Gamma", "Delta"]).utf8))
    for name in ["universities.ndjson.zst", "universities.ndjson"] {
      let file = try workspace.file(name, bytes: frames)
      #expect(try workspace.feedcore("ingest", file, "--feed", "lines").status == 0)
      #expect(try workspace.names(of: "lines") == names)
    }
  }

  @Test("gives the same feed as plain input, and counts the decompressed bytes")
  func same() throws {
    let text = try universities()
    let plain = try workspace.file("plain", bytes: text)
    let gzip = try workspace.file("gzip", bytes: Packed.gzip(text))
    let zstd = try workspace.file("zstd", bytes: Packed.zstd(text))
    var exports: Set<Data> = []
    for file in [plain, gzip, zstd] {
      let outcome = try workspace.feedcore("ingest", file, "--feed", "it", "--json")
      #expect(try outcome.object()["bytes"] as? Int == text.count)
      exports.insert(try workspace.feedcore("export", "it").bytes)
    }
    #expect(exports.count == 1)
  }

  @Test("may come from standard input, and together with plain files")
  func standardInput() throws {
    let packed = try Packed.zstd(Array(Payload.universities(["Alpha", "Beta"]).utf8))
    let plain = try workspace.file("plain.json", Payload.universities(["Gamma", "Delta"]))
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Workspace.Unexpected() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let command = try workspace.start(["ingest", "-", plain], input: .descriptor(ends[0]))
    close(ends[0])
    for byte in packed { _ = [byte].withUnsafeBytes { write(ends[1], $0.baseAddress, 1) } }
    close(ends[1])
    #expect(command.wait() == 0)
    #expect(try workspace.names(of: "universities") == names)
  }

  @Test("that is truncated or damaged is refused with 65, and nothing is stored")
  func refused() throws {
    let text = try universities()
    let gzip = try Packed.gzip(text)
    let zstd = try Packed.zstd(text)
    var damaged = (gzip, zstd)
    damaged.0[gzip.count - 8] ^= 0xFF
    damaged.1[zstd.count - 1] ^= 0xFF
    let inputs: [(bytes: [UInt8], offset: Int, reason: String)] = [
      (gzip.dropLast(100), gzip.count - 100, "the gzip data ends early: it is cut off"),
      (zstd.dropLast(1), zstd.count - 1, "the zstd data ends early: it is cut off"),
      (
        damaged.0, gzip.count,
        "the gzip data is damaged: its checksum or its length does not match"
      ),
      (damaged.1, zstd.count - 4, "the zstd data is damaged: its checksum does not match"),
      (gzip + [0x20], gzip.count, "something that is no gzip data follows the gzip data"),
    ]
    for input in inputs {
      let file = try workspace.file("bad", bytes: input.bytes)
      let line = "\(file): \(input.reason) (byte \(input.offset) of the compressed input)"
      let outcome = try workspace.feedcore("ingest", file)
      #expect(outcome.status == 65)
      #expect(outcome.errorLines == [line])
      let check = try workspace.feedcore("check", file, "--json")
      #expect(check.status == 65)
      let error = try check.object()["error"] as? [String: Any]
      #expect(error?["kind"] as? String == "compression")
      #expect(error?["byteOffset"] as? Int == input.offset)
    }
    #expect(try workspace.feeds().isEmpty)
  }

  @Test("with a fault in its text is refused with the position in the text")
  func fault() throws {
    let text = "[\n" + Payload.university("Alpha") + ",\n]"
    let file = try workspace.file("bad.json.gz", bytes: Packed.gzip(Array(text.utf8)))
    let outcome = try workspace.feedcore("ingest", file)
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("\(file):3:1: expected a value, found ']'"))
  }

  @Test(
    "that stops arriving does not prevent Ctrl-C from ending the command", arguments: [0, 1, 5_000])
  func interrupted(_ length: Int) throws {
    let packed = try Packed.gzip(universities())
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Workspace.Unexpected() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    let command = try workspace.start(["ingest", "-"], input: .descriptor(ends[0]))
    close(ends[0])
    _ = packed.withUnsafeBytes { write(ends[1], $0.baseAddress, length) }
    try command.waitUntilItHandlesInterrupts()
    let duration = ContinuousClock().measure {
      command.send(SIGINT)
      #expect(command.wait() == 130)
    }
    #expect(duration < .seconds(5))
    #expect(try workspace.feeds().isEmpty)
  }

  @Test("that becomes a string of a gibibyte is refused at the limit, in little memory")
  func stringBomb() throws {
    for isGzip in [true, false] {
      let bomb = try Packed.bomb(#"[{"name":""#, end: #""}]"#, isGzip: isGzip)
      let file = try workspace.file("bomb", bytes: bomb)
      let outcome = try confined("check", file)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("longer than the limit of 16777216 bytes"))
    }
  }

  @Test("that becomes a gibibyte of white space is skipped in little memory")
  func spaceBomb() throws {
    let record = Payload.university("Alpha")
    let bomb = try Packed.bomb("[\(record),", end: "\(record)]", isGzip: false)
    let outcome = try confined("check", try workspace.file("bomb", bytes: bomb))
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
