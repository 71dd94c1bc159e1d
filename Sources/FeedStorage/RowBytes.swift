import FeedRecord
import LMDB

/// Writes the parts of a row one after another, numbers little-endian.
struct RowWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write<Value: FixedWidthInteger>(_ value: Value) {
    for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func write(_ text: String) {
    write(UInt32(clamping: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// The row with a checksum of all of it at the end.
  consuming func sealed() -> [UInt8] {
    write(KeyHash.hash(bytes.span.bytes))
    return bytes
  }
}

/// Reads the parts of a row that a `RowWriter` sealed.
struct RowReader {
  private let bytes: [UInt8]
  private var position = 0
  private let end: Int

  /// - Throws: `damaged` where the checksum is not that of the row
  init(_ row: RawSpan) throws(StoreError) {
    bytes = Array(copying: row)
    end = bytes.count - 8
    guard end >= 0 else { throw Self.damaged }
    var tail = self
    tail.position = end
    let stored = tail.number(UInt64.self)
    guard stored == KeyHash.hash(row.extracting(0..<end)) else { throw Self.damaged }
  }

  /// Whether there is something behind what was read; older versions of a row may end sooner.
  var hasMore: Bool { position < end }

  mutating func read<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type)
    throws(StoreError) -> Value
  {
    guard position + Value.bitWidth / 8 <= end else { throw Self.damaged }
    return number(type)
  }

  mutating func text() throws(StoreError) -> String {
    let count = Int(try read(UInt32.self))
    guard count <= end - position else { throw Self.damaged }
    defer { position += count }
    do {
      return String(
        copying: try UTF8Span(validating: bytes.span.extracting(position..<position + count)))
    } catch {
      throw Self.damaged
    }
  }

  /// The caller has seen that so many bytes are left.
  private mutating func number<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type
  ) -> Value {
    let value = bytes.span.bytes.bigEndian(at: position, as: type) ?? 0
    position += Value.bitWidth / 8
    return value.byteSwapped
  }

  static var damaged: StoreError {
    StoreError(
      .damaged, "a row of the store's tables is damaged; delete its directory and ingest again")
  }
}
