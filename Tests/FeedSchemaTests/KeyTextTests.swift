@_spi(Records) import JSONStream
import Testing

@testable import FeedSchema

@Suite("The keys of numbers in documents")
struct KeyTextTests {
  private func key(_ number: String) -> String {
    var bytes: [UInt8] = []
    KeyText.append(Array(number.utf8).span.bytes, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "are the shortest decimals, so that equal numbers are one key",
    arguments: [
      ("1", "1"), ("1.0", "1"), ("1e0", "1"), ("10e-1", "1"), ("0.1e1", "1"), ("-0", "0"),
      ("-0.0", "0"), ("0e5", "0"), ("100", "100"), ("1e2", "100"), ("1.50", "1.5"),
      ("0.50", "0.5"), ("5e-3", "0.005"), ("-12.340", "-12.34"), ("1E+3", "1000"),
      ("505874924095815681", "505874924095815681"), ("505874924095815681.0", "505874924095815681"),
    ])
  func decimals(number: String, expected: String) {
    #expect(key(number) == expected)
  }

  @Test("of many digits are one key too")
  func longNumbers() {
    let digits = String(repeating: "7", count: 60)
    #expect(key(digits) == digits)
    #expect(key(digits + ".0") == digits)
    #expect(key("1e41") == "1" + String(repeating: "0", count: 41))
    #expect(key("1" + String(repeating: "0", count: 41) + ".00") == key("10e40"))
    let zeros = String(repeating: "0", count: 399)
    for number in ["1e-400", "10e-401", "0.01E-398", "0.\(zeros)1"] {
      #expect(key(number) == "1e-400")
    }
    for number in ["-12e2000", "-1.2e+2001", "-120e1999"] { #expect(key(number) == "-12e2000") }
    #expect(key("0." + digits) == "\(digits)e-60")
    #expect(key("0.0e999999999999999999999") == "0")
  }

  @Test("with an exponent of more than 64 bits are kept as they are written")
  func longExponents() {
    #expect(key("1e999999999999999999999") == "1e999999999999999999999")
    #expect(key("1e-9223372036854775808") == "1e-9223372036854775808")
  }

  @Test("need no conversion if they are whole numbers without an exponent")
  func wholeNumbers() {
    for (number, isCanonical) in [
      ("0", true), ("7", true), ("-7", true), ("-0", false), ("1.5", false), ("1e3", false),
    ] {
      #expect(KeyText.isCanonical(Array(number.utf8).span.bytes) == isCanonical, "\(number)")
    }
  }
}
