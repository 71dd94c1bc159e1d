/// Keys to look up, in one buffer.
struct LookupKeys {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [UInt32] = []

  mutating func append(_ key: some Collection<UInt8>) {
    bytes += key
    ends.append(UInt32(clamping: bytes.count))
  }

  /// Calls `body` with each key.
  func forEachKey(_ body: (RawSpan) throws -> Void) rethrows {
    var start = 0
    for end in ends {
      try body(bytes.span.bytes.extracting(start..<Int(end)))
      start = Int(end)
    }
  }
}
