import FeedRecord
import LMDB

/// Writes the fields of a row in order, with little-endian numbers.
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

  /// Bytes whose count the row states elsewhere.
  mutating func write(_ bytes: [UInt8]) { self.bytes += bytes }

  /// The row, followed by a checksum over all of it.
  consuming func sealed() -> [UInt8] {
    write(KeyHash.hash(bytes.span.bytes))
    return bytes
  }
}

/// Reads the fields of a row from a `RowWriter`, in place.
struct RowReader: ~Escapable {
  private let row: RawSpan
  private var position = 0
  private let end: Int
  /// The verified checksum of the row.
  let seal: UInt64

  /// - Throws: `damaged` if the checksum is wrong
  @_lifetime(copy row)
  init(_ row: RawSpan) throws(StoreError) {
    self.row = row
    end = row.byteCount - 8
    guard end >= 0, let stored = row.littleEndian(at: end, as: UInt64.self),
      stored == KeyHash.hash(row.extracting(0..<end))
    else { throw Self.damaged }
    seal = stored
  }

  /// Whether more fields follow; older versions of a row may end earlier.
  var hasMore: Bool { position < end }

  @_lifetime(self: copy self)
  mutating func read<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type)
    throws(StoreError) -> Value
  {
    let next = position + Value.bitWidth / 8
    guard next <= end, let value = row.littleEndian(at: position, as: type) else {
      throw Self.damaged
    }
    position = next
    return value
  }

  @_lifetime(self: copy self)
  mutating func text() throws(StoreError) -> String { String(copying: try utf8()) }

  /// Bytes that follow their count.
  @_lifetime(self: copy self)
  mutating func bytes() throws(StoreError) -> [UInt8] { Array(copying: try counted()) }

  /// A text, validated as UTF-8 and not copied.
  @_lifetime(self: copy self)
  @_lifetime(copy self)
  mutating func utf8() throws(StoreError) -> UTF8Span {
    let text = try counted()
    do {
      return try UTF8Span(validating: Span<UInt8>(_bytes: text))
    } catch {
      throw Self.damaged
    }
  }

  @_lifetime(self: copy self)
  @_lifetime(copy self)
  private mutating func counted() throws(StoreError) -> RawSpan {
    let count = Int(try read(UInt32.self))
    guard count <= end - position else { throw Self.damaged }
    let found = row.extracting(position..<position + count)
    position += count
    return found
  }

  static var damaged: StoreError {
    StoreError(
      .damaged, "a row of the store's tables is damaged; delete its directory and ingest again")
  }
}
