/// A parsed key.
///
/// `feed:{NAME}:cur` holds the number of a feed's generation, `feed:NAME:G:meta` its description,
/// `feed:NAME:G:p:N` its records page by page, `feed:NAME:item:KEY` the first record with this key,
/// and `img:URL` an image.
enum ServedKey {
  case current(name: Range<Int>)
  case meta(name: Range<Int>, generation: UInt64)
  case page(name: Range<Int>, generation: UInt64, number: Int)
  case item(name: Range<Int>, key: Range<Int>)
  case image(url: Range<Int>)

  /// Nil for a key of any other form, which has no value.
  init?(_ bytes: Span<UInt8>) {
    if let start = Self.end(of: "img:", in: bytes, at: 0) {
      self = .image(url: start..<bytes.count)
      return
    }
    guard let start = Self.end(of: "feed:", in: bytes, at: 0), start < bytes.count else {
      return nil
    }
    if bytes[start] == UInt8(ascii: "{") {
      guard let brace = Self.next(UInt8(ascii: "}"), in: bytes, from: start),
        let end = Self.end(of: "}:cur", in: bytes, at: brace), end == bytes.count
      else { return nil }
      self = .current(name: start + 1..<brace)
      return
    }
    guard let nameEnd = Self.next(UInt8(ascii: ":"), in: bytes, from: start) else { return nil }
    let name = start..<nameEnd
    if let item = Self.end(of: ":item:", in: bytes, at: nameEnd) {
      self = .item(name: name, key: item..<bytes.count)
      return
    }
    guard let end = Self.next(UInt8(ascii: ":"), in: bytes, from: nameEnd + 1),
      let generation = Self.number(bytes, nameEnd + 1..<end)
    else { return nil }
    if Self.end(of: ":meta", in: bytes, at: end) == bytes.count {
      self = .meta(name: name, generation: generation)
    } else if let page = Self.end(of: ":p:", in: bytes, at: end),
      let number = Self.number(bytes, page..<bytes.count)
    {
      self = .page(name: name, generation: generation, number: Int(clamping: number))
    } else {
      return nil
    }
  }

  /// The end of a literal at an offset; nil if the bytes differ.
  private static func end(of literal: String, in bytes: Span<UInt8>, at start: Int) -> Int? {
    guard start + literal.utf8.count <= bytes.count else { return nil }
    var place = start
    for byte in literal.utf8 {
      guard bytes[place] == byte else { return nil }
      place += 1
    }
    return place
  }

  private static func next(_ byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
    var place = start
    while place < bytes.count {
      if bytes[place] == byte { return place }
      place += 1
    }
    return nil
  }

  /// A number in its shortest form, without signs and leading zeros.
  private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
    guard (1...20).contains(range.count), range.count == 1 || bytes[range.lowerBound] != 0x30 else {
      return nil
    }
    var value: UInt64 = 0
    for index in range {
      let digit = bytes[index] &- 0x30
      guard digit <= 9 else { return nil }
      let (product, tooMuch) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(UInt64(digit))
      guard !tooMuch, !overflow else { return nil }
      value = sum
    }
    return value
  }
}
