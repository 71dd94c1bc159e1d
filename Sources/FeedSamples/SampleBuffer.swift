/// Buffers bytes for a sink, which receives chunks of about 64 KiB.
///
/// It grows once, to the chunk size and a few records, and keeps that memory.
struct SampleBuffer: ~Copyable {
  private static let chunkSize = 65_536

  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(Self.chunkSize + 16_384)
  }

  var isFull: Bool { bytes.count >= Self.chunkSize }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ text: [UInt8]) {
    bytes.append(contentsOf: text)
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends a number from 0 to 99 as two digits.
  mutating func append(twoDigits number: Int) {
    bytes.append(UInt8(truncatingIfNeeded: 0x30 + number / 10 % 10))
    bytes.append(UInt8(truncatingIfNeeded: 0x30 + number % 10))
  }

  /// Appends the lowest `digits` hexadecimal digits of a number.
  mutating func append(hexadecimal number: UInt64, digits: Int) {
    var shift = digits * 4
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 0xF
      bytes.append(digit < 10 ? 0x30 + digit : 0x41 - 10 + digit)
    }
  }

  /// Appends a random (version 4) UUID in the 36 characters of RFC 9562, in upper case like
  /// Foundation's.
  mutating func appendUUID(using random: inout SplitMix64) {
    let high = random.next()
    let low = random.next()
    append(hexadecimal: high >> 32, digits: 8)
    append(0x2D)
    append(hexadecimal: high >> 16, digits: 4)
    append(0x2D)
    append(hexadecimal: 0x4000 | (high & 0xFFF), digits: 4)
    append(0x2D)
    append(hexadecimal: 0x8000 | ((low >> 48) & 0x3FFF), digits: 4)
    append(0x2D)
    append(hexadecimal: low, digits: 12)
  }

  /// Appends a date of the years 2019 to 2025 as `2020-05-20T11:24:59`, without its zone.
  mutating func appendDate(using random: inout SplitMix64) {
    let bits = random.next()
    append(0x32)
    append(0x30)
    append(twoDigits: 19 + Int(bits & 0xFF) % 7)
    append(0x2D)
    append(twoDigits: 1 + Int(bits >> 8 & 0xFF) % 12)
    append(0x2D)
    append(twoDigits: 1 + Int(bits >> 16 & 0xFF) % 28)
    append(0x54)
    append(twoDigits: Int(bits >> 24 & 0xFF) % 24)
    append(0x3A)
    append(twoDigits: Int(bits >> 32 & 0xFF) % 60)
    append(0x3A)
    append(twoDigits: Int(bits >> 40 & 0xFF) % 60)
  }
}
