// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore

private let version = CText(FEEDCORE_VERSION)
private let unknown = CText("unknown status")

let statusTexts: [CText] = [
  "ok", "none", "misuse", "bad handle", "read only", "not found", "busy", "cancelled", "conflict",
  "bad payload", "several kinds", "too many rejected", "invalid name", "invalid kind", "too large",
  "disk full", "input or output failed", "permission denied", "damaged", "incompatible", "replaced",
  "forked", "no memory",
].map { CText($0) }

@c @implementation
public func feedcore_abi_version() -> CInt { FEEDCORE_ABI_VERSION }

@c @implementation
public func feedcore_version() -> UnsafePointer<CChar>? { version.start }

@c @implementation
public func feedcore_status_text(_ status: feedcore_status) -> UnsafePointer<CChar>? {
  let index = Int(status.rawValue)
  return statusTexts.indices.contains(index) ? statusTexts[index].start : unknown.start
}
