// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedSchema
import JSONStream

@c @implementation
public func feedcore_check_fd(
  _ descriptor: CInt, _ kind: UnsafePointer<CChar>?, _ kind_length: Int,
  _ report: UnsafeMutablePointer<feedcore_check_report>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  check(kind, kind_length, report, error) { push in
    let input = try DescriptorInput(descriptor, name: "input")
    try input.forEachChunk { bytes, _ in try push.feed(bytes.bytes) }
  }
}

@c @implementation
public func feedcore_check(
  _ bytes: UnsafeRawPointer?, _ length: Int, _ kind: UnsafePointer<CChar>?, _ kind_length: Int,
  _ report: UnsafeMutablePointer<feedcore_check_report>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  check(kind, kind_length, report, error) { push in
    try push.feed(try Input.bytes(bytes, length, "bytes").bytes)
  }
}

/// Validates what `feed` pushes, and reports the number of records, even if the input is invalid.
private func check(
  _ kind: UnsafePointer<CChar>?, _ length: Int,
  _ report: UnsafeMutablePointer<feedcore_check_report>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?, _ feed: (PayloadPush) throws -> Void
) -> feedcore_status {
  report?.pointee = feedcore_check_report()
  return Call.run(error) {
    let parser = PayloadParser(schema: try IngestSettings.schema(kind, length))
    var records = 0
    var found = parser.schema
    let push = parser.push(named: "input") { batch in
      records += batch.count
      found = batch.schema
    }
    defer {
      if let report {
        report.pointee.records = UInt64(clamping: records)
        withUnsafeMutableBytes(of: &report.pointee.kind) { $0.put(found?.name ?? "") }
      }
    }
    try feed(push)
    found = try push.finish().schema
    return FEEDCORE_OK
  }
}
