// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedStorage

/// An ingest whose bytes C pushes.
final class IngestObject: Handle {
  private let push: IngestPush
  private let progress: ProgressTeller
  /// The failure that has ended it. After a fault no bytes are accepted and nothing is published.
  private var failure: Failure?

  init(_ database: FeedDatabase, _ settings: IngestSettings) {
    let progress = ProgressTeller(settings)
    self.progress = progress
    // It is also called while waiting for the feed's lock.
    push = database.push(
      from: settings.origin, options: settings.options, isCancelled: { !progress.tell() })
    progress.push = push
  }

  deinit { push.cancel() }

  /// The number of bytes received so far.
  var byteCount: Int { push.byteCount }

  func cancel() { push.cancel() }

  /// Runs a step. A failed step ends the ingest, and each later step fails in the same way.
  func step(_ body: () throws -> Void) throws {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = Failure(error)
      push.cancel()
      throw error
    }
  }

  /// Receives bytes and reports the progress.
  func take(_ bytes: UnsafeRawBufferPointer, _ input: DescriptorInput.Progress) throws {
    if !bytes.isEmpty { try push.feed(bytes.bytes) }
    progress.state = feedcore_progress(
      bytes: UInt64(clamping: push.byteCount), input_bytes: UInt64(clamping: input.inputBytes),
      total_bytes: UInt64(clamping: input.totalBytes), records: 0)
    guard progress.tell() else { throw IngestSettings.cancelled }
  }

  func finish(_ report: UnsafeMutablePointer<feedcore_report>?) throws {
    let done = try push.finish()
    guard let report else { return }
    report.pointee = feedcore_report()
    report.pointee.records = UInt64(clamping: done.records)
    report.pointee.rejected = UInt64(clamping: done.rejected)
    report.pointee.bytes = UInt64(clamping: done.bytes)
    report.pointee.feed_records = UInt64(clamping: done.feed.recordCount)
    report.pointee.generation = done.feed.generation
    withUnsafeMutableBytes(of: &report.pointee.feed) { $0.put(done.feed.name.text) }
  }
}

/// Reports the progress of an ingest to C, and asks whether to continue.
private final class ProgressTeller {
  var state = feedcore_progress()
  /// The ingest whose records are counted, even after its last bytes.
  weak var push: IngestPush?
  private let settings: IngestSettings

  init(_ settings: IngestSettings) { self.settings = settings }

  func tell() -> Bool {
    if let push { state.records = UInt64(clamping: push.recordCount) }
    return settings.tell(state)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Copies a text with a terminating zero, truncated to fit.
  func put(_ text: String) {
    let bytes = text.utf8.prefix(count - 1)
    copyBytes(from: bytes)
    self[bytes.count] = 0
  }
}

@c @implementation
public func feedcore_ingest_fd(
  _ store: OpaquePointer?, _ descriptor: CInt, _ options: UnsafePointer<feedcore_ingest_options>?,
  _ report: UnsafeMutablePointer<feedcore_report>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  report?.pointee = feedcore_report()
  return Call.share(store, StoreObject.self, error) { store in
    let settings = try IngestSettings(options)
    let input = try DescriptorInput(descriptor, name: settings.origin)
    let ingest = IngestObject(try store.writable(), settings)
    try ingest.step {
      try input.forEachChunk { bytes, progress in try ingest.take(bytes, progress) }
      try ingest.finish(report)
    }
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_ingest_begin(
  _ store: OpaquePointer?, _ options: UnsafePointer<feedcore_ingest_options>?,
  _ ingest: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  ingest?.pointee = nil
  return Call.share(store, StoreObject.self, error) { store in
    let ingest = try Call.require(ingest, "ingest")
    return try Call.give(
      IngestObject(try store.writable(), try IngestSettings(options)), ingest)
  }
}

@c @implementation
public func feedcore_ingest_push(
  _ ingest: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.own(ingest, IngestObject.self, error) { ingest in
    try ingest.step {
      let bytes = try Input.bytes(bytes, length, "bytes")
      var progress = DescriptorInput.Progress()
      progress.inputBytes = ingest.byteCount + bytes.count
      try ingest.take(bytes, progress)
    }
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_ingest_finish(
  _ ingest: OpaquePointer?, _ report: UnsafeMutablePointer<feedcore_report>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  report?.pointee = feedcore_report()
  return Call.end(ingest, IngestObject.self, error) { ingest in
    // Releases the feed's lock at once, even if this call still counts as a user.
    defer { ingest.cancel() }
    try ingest.step { try ingest.finish(report) }
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_ingest_cancel(_ ingest: OpaquePointer?) -> feedcore_status {
  Call.close(ingest, IngestObject.self, alone: true)
}
