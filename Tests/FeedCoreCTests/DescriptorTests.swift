import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

@Suite("Descriptors passed by C")
struct DescriptorTests {
  private let store: CStore
  private let document = Documents.many(20_000)

  init() throws { store = try CStore() }

  private func ingest(_ descriptor: CInt) -> (status: feedcore_status, report: feedcore_report) {
    var report = feedcore_report()
    var error: OpaquePointer?
    let status = feedcore_ingest_fd(store.handle, descriptor, nil, &report, &error)
    _ = take(error)
    return (status, report)
  }

  private var path: String { store.directory.path + "/input" }

  private func file(_ bytes: [UInt8]) throws -> CInt {
    try Data(bytes).write(to: URL(filePath: path))
    return open(path, O_RDONLY)
  }

  /// Writes bytes into one end of a pair, on a thread of its own.
  private func write(_ bytes: [UInt8], to descriptor: CInt) {
    Thread {
      bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = Glibc.write(descriptor, rest.withUnsafeBytes(\.baseAddress), rest.count)
          guard count > 0 else { break }
          rest = rest.dropFirst(count)
        }
      }
      close(descriptor)
    }.start()
  }

  @Test("a file is read to its end, and the descriptor stays open")
  func plainFile() throws {
    let descriptor = try file(Array(document.utf8))
    let (status, report) = ingest(descriptor)
    #expect(status == FEEDCORE_OK)
    #expect(report.records == 20_000)
    #expect(fcntl(descriptor, F_GETFD) >= 0)
    #expect(lseek(descriptor, 0, SEEK_CUR) == off_t(document.utf8.count))
    close(descriptor)
  }

  @Test("a file is read from its current offset, also a compressed one", arguments: [false, true])
  func fileInTheMiddle(isPacked: Bool) throws {
    let bytes = Array(document.utf8)
    let descriptor = try file(Array("not JSON".utf8) + (isPacked ? Packed.gzip(bytes) : bytes))
    lseek(descriptor, 8, SEEK_SET)
    #expect(ingest(descriptor).report.records == 20_000)
    close(descriptor)
  }

  @Test("an unlinked file is read")
  func unlinkedFile() throws {
    let descriptor = try file(Packed.gzip(Array(document.utf8)))
    #expect(unlink(path) == 0)
    #expect(ingest(descriptor).report.records == 20_000)
    close(descriptor)
  }

  @Test("a compression error has no line, and its offset is that in the compressed bytes")
  func compressedPosition() throws {
    let packed = try Array(Packed.gzip(Array(document.utf8)).dropLast(5))
    let descriptor = try file(packed)
    var error: OpaquePointer?
    #expect(feedcore_ingest_fd(store.handle, descriptor, nil, nil, &error) == FEEDCORE_PAYLOAD)
    var position = feedcore_position()
    #expect(feedcore_error_position(error, &position) == FEEDCORE_OK)
    #expect(position.line == 0)
    #expect(position.column == 0)
    #expect(position.offset == UInt64(packed.count))
    feedcore_error_free(error)
    close(descriptor)
  }

  @Test("a compression error is reported with the caller's name for the input")
  func origin() throws {
    let descriptor = try file(Packed.gzip(Array(document.utf8)).dropLast(5))
    let (status, text) = outcome { error in
      "dump.json.gz".withCString { name in
        var options = feedcore_ingest_options.initial
        (options.origin, options.origin_length) = (name, 12)
        return feedcore_ingest_fd(store.handle, descriptor, &options, nil, error)
      }
    }
    #expect(status == FEEDCORE_PAYLOAD)
    #expect(text.contains("dump.json.gz"))
    close(descriptor)
  }

  @Test(
    "compressed files and pipes are decompressed", arguments: [false, true])
  func compressed(isGzip: Bool) throws {
    let bytes = Array(document.utf8)
    let packed = try isGzip ? Packed.gzip(bytes) : Packed.zstd(bytes)
    let descriptor = try file(packed)
    #expect(ingest(descriptor).report.records == 20_000)
    close(descriptor)
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    write(packed, to: ends[1])
    #expect(ingest(ends[0]).report.bytes == document.utf8.count)
    close(ends[0])
  }

  @Test(
    "a socket is read until its other end closes, blocking or not",
    arguments: [false, true])
  func socket(isNonblocking: Bool) throws {
    var ends: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    if isNonblocking { _ = fcntl(ends[0], F_SETFL, O_NONBLOCK) }
    write(Array(document.utf8), to: ends[1])
    #expect(ingest(ends[0]).report.records == 20_000)
    close(ends[0])
  }

  @Test("an unreadable descriptor is reported: invalid, a directory, write-only")
  func unreadable() throws {
    #expect(ingest(-1).status == FEEDCORE_NOT_FOUND)
    #expect(ingest(9999).status == FEEDCORE_NOT_FOUND)
    let directory = open(store.directory.path, O_RDONLY)
    #expect(ingest(directory).status == FEEDCORE_NOT_FOUND)
    close(directory)
    for path in ["/dev/null", store.directory.path + "/written"] {
      let sink = open(path, O_WRONLY | O_CREAT, 0o600)
      #expect(ingest(sink).status == FEEDCORE_IO)
      close(sink)
    }
  }

  @Test("a descriptor that cannot be copied because too many are open is not reported as missing")
  func tooManyDescriptors() async {
    // Runs in its own process: the limit applies to all tests.
    await #expect(processExitsWith: .success) {
      InheritedSockets.close()
      let input = open("/dev/null", O_RDONLY)
      // Takes every descriptor below the input's.
      while open("/dev/null", O_RDONLY) < input {}
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var (before, limit) = (rlimit(), rlimit())
      try #require(getrlimit(resource, &before) == 0)
      limit = rlimit(rlim_cur: rlim_t(input) + 1, rlim_max: before.rlim_max)
      try #require(setrlimit(resource, &limit) == 0)
      let full = outcome { feedcore_check_fd(input, nil, 0, nil, $0) }
      let none = outcome { feedcore_check_fd(-1, nil, 0, nil, $0) }
      try #require(setrlimit(resource, &before) == 0)
      #expect(full.status == FEEDCORE_IO)
      #expect(full.message.contains("Too many open files"))
      #expect(none.status == FEEDCORE_NOT_FOUND)
    }
  }

  @Test("progress reports the length of the file, and its callback can cancel")
  func progress() throws {
    let descriptor = try file(Array(document.utf8))
    let seen = Box<[feedcore_progress]>([])
    var options = feedcore_ingest_options.initial
    options.context = Unmanaged.passUnretained(seen).toOpaque()
    options.progress = { context, progress in
      guard let context, let progress else { return 1 }
      let seen = Unmanaged<Box<[feedcore_progress]>>.fromOpaque(context).takeUnretainedValue()
      seen.value.append(progress.pointee)
      return 0
    }
    #expect(feedcore_ingest_fd(store.handle, descriptor, &options, nil, nil) == FEEDCORE_OK)
    #expect(seen.value.last?.total_bytes == UInt64(document.utf8.count))
    #expect(seen.value.last?.input_bytes == UInt64(document.utf8.count))
    lseek(descriptor, 0, SEEK_SET)
    options.progress = { _, _ in 1 }
    #expect(feedcore_ingest_fd(store.handle, descriptor, &options, nil, nil) == FEEDCORE_CANCELLED)
    close(descriptor)
  }

  @Test("checking a descriptor or bytes reports the number of records, also before a fault")
  func check() throws {
    var report = feedcore_check_report()
    let descriptor = try file(Array(document.utf8))
    #expect(feedcore_check_fd(descriptor, nil, 0, &report, nil) == FEEDCORE_OK)
    #expect(report.records == 20_000)
    #expect(
      withUnsafeBytes(of: report.kind) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        == "universities")
    close(descriptor)
    let bad =
      #"[{"name": "B", "country": "C", "alpha_two_code": "D", "web_pages": []}, {"name": 1}]"#
    var error: OpaquePointer?
    #expect(feedcore_check(bad, bad.utf8.count, nil, 0, &report, &error) == FEEDCORE_PAYLOAD)
    #expect(report.records == 1)
    var position = feedcore_position()
    #expect(feedcore_error_position(error, &position) == FEEDCORE_OK)
    #expect(position.record == 2)
    #expect(take(error).contains("name"))
    #expect(
      outcome { feedcore_check(bad, bad.utf8.count, "cars", 4, &report, $0) }.status
        == FEEDCORE_INVALID_KIND)
    #expect(outcome { feedcore_check(nil, 3, nil, 0, &report, $0) }.status == FEEDCORE_MISUSE)
    #expect(outcome { feedcore_check(bad, -3, nil, 0, &report, $0) }.status == FEEDCORE_MISUSE)
    #expect(outcome { feedcore_check_fd(-1, nil, 0, nil, $0) }.status == FEEDCORE_NOT_FOUND)
  }
}
