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

  @Test("with more than forty digits are kept as they are written")
  func longNumbers() {
    #expect(key("1e41") == "1e41")
    #expect(key("1e999999999999999999999") == "1e999999999999999999999")
    let digits = String(repeating: "7", count: 60)
    #expect(key(digits + ".0") == digits + ".0")
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
