/// One JSON object on one line, key by key.
package struct JSONLine: Sendable {
  private var bytes: [UInt8] = [0x7B]

  package init() {}

  /// The object, without a line feed.
  package var text: [UInt8] { bytes + [0x7D] }

  package mutating func add(_ key: String, _ value: String?) {
    addKey(key)
    if let value { JSONText.appendString(value, to: &bytes) } else { addNull() }
  }

  package mutating func add(_ key: String, _ value: (some BinaryInteger)?) {
    addKey(key)
    if let value { bytes += String(value).utf8 } else { addNull() }
  }

  package mutating func add(_ key: String, _ value: Bool) {
    addKey(key)
    bytes += (value ? "true" : "false").utf8
  }

  /// Text that is JSON already.
  package mutating func add(_ key: String, json: some Sequence<UInt8>) {
    addKey(key)
    bytes += json
  }

  package mutating func add(_ key: String, _ object: JSONLine?) {
    addKey(key)
    if let object { bytes += object.text } else { addNull() }
  }

  /// All members of another object.
  package mutating func add(members other: JSONLine) {
    guard other.bytes.count > 1 else { return }
    if bytes.count > 1 { bytes.append(0x2C) }
    bytes += other.bytes.dropFirst()
  }

  package mutating func add(_ key: String, _ objects: [JSONLine]) {
    addList(key, objects) { $1 += $0.text }
  }

  package mutating func add(_ key: String, _ texts: [String]) {
    addList(key, texts) { JSONText.appendString($0, to: &$1) }
  }

  /// An array with one object a line, followed by a line feed.
  package static func array(_ lines: [JSONLine]) -> [UInt8] {
    let objects = Array(lines.map(\.text).joined(separator: Array(",\n".utf8)))
    let lineFeed: [UInt8] = lines.isEmpty ? [] : [0x0A]
    return [0x5B] + lineFeed + objects + lineFeed + [0x5D, 0x0A]
  }

  private mutating func addList<Item>(
    _ key: String, _ items: [Item], _ append: (Item, inout [UInt8]) -> Void
  ) {
    addKey(key)
    bytes.append(0x5B)
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(0x2C) }
      append(item, &bytes)
    }
    bytes.append(0x5D)
  }

  private mutating func addKey(_ key: String) {
    if bytes.count > 1 { bytes.append(0x2C) }
    JSONText.appendString(key, to: &bytes)
    bytes.append(0x3A)
  }

  private mutating func addNull() { bytes += "null".utf8 }
}
