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

/// The SplitMix64 generator (Steele, Lea, Flood 2014): fast, with the same numbers on every
/// machine.
///
/// It is not a `RandomNumberGenerator`: the standard library may change how `random(in:using:)`
/// draws from one, and a sample must stay the same for its seed.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number in `0..<bound`, or 0 for a bound below 1.
  mutating func index(below bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
  }

  /// True once in `interval` draws on average.
  mutating func isOne(in interval: Int) -> Bool {
    index(below: interval) == 0
  }

  /// A random element of a nonempty array.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[index(below: elements.count)]
  }
}
