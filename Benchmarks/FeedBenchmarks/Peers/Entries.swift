import CPeers

/// Keys and values in one buffer, in the form that the peers in C take.
struct Entries {
  private(set) var bytes: [UInt8] = []
  var entries: [feedpeer_entry] = []

  var count: Int { entries.count }

  mutating func append(key: some Collection<UInt8>, value: some Collection<UInt8>) {
    entries.append(
      feedpeer_entry(
        start: bytes.count, key_count: UInt32(clamping: key.count),
        record_count: UInt32(clamping: value.count), is_stored: false))
    bytes += key
    bytes += value
  }

  func key(at index: Int) -> ArraySlice<UInt8> {
    let entry = entries[index]
    return bytes[entry.start..<entry.start + Int(entry.key_count)]
  }

  func value(at index: Int) -> ArraySlice<UInt8> {
    let entry = entries[index]
    let start = entry.start + Int(entry.key_count)
    return bytes[start..<start + Int(entry.record_count)]
  }
}
