import FeedSchema
import Testing

@Suite("Numbers as text")
struct NumberTextTests {
  private func number(_ text: String) -> Double? { NumberText.number(Array(text.utf8).span.bytes) }

  private func integer(_ text: String) -> Int64? { NumberText.integer(Array(text.utf8).span.bytes) }

  @Test("a number is the nearest Double, bit for bit, by every algorithm")
  func nearest() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bits = UInt64.random(in: 1...63, using: &generator)
      let digits = String(UInt64.random(in: 0..<1 << bits, using: &generator))
      let point = Int.random(in: 0...digits.count, using: &generator)
      var text = Bool.random() ? "-" : ""
      text += point == 0 ? "0" : String(digits.prefix(point))
      if point < digits.count { text += "." + digits.dropFirst(point) }
      if Bool.random() {
        text += ["e", "E"].randomElement() ?? "e"
        text += ["", "+", "-"].randomElement() ?? ""
        text += String(Int.random(in: 0...40, using: &generator))
      }
      #expect(number(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test(
    "the limits of a Double",
    arguments: [
      ("-0", -0.0), ("0e999", 0.0), ("1e22", 1e22), ("1e23", 1e23), ("9007199254740993", 0x1p53),
      ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("4.5", 4.5), ("1e+05", 1e5),
    ])
  func edges(text: String, value: Double) {
    #expect(number(text)?.bitPattern == value.bitPattern)
  }

  @Test(
    "a number out of range is nil", arguments: ["1e309", "-1e400", "1e99999999999999999999"])
  func outOfRange(text: String) {
    #expect(number(text) == nil)
  }

  @Test("an integer has 64 bits and a sign")
  func integers() {
    #expect(integer("-9223372036854775808") == .min)
    #expect(integer("9223372036854775807") == .max)
    #expect(integer("9223372036854775808") == nil)
    #expect(integer("1.0") == nil)
    #expect(integer("1e2") == nil)
  }
}
