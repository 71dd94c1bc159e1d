import FeedTools
import Testing

@Suite("Readable numbers")
struct ReadableNumberTests {
  @Test(
    "counts are grouped by thousands",
    arguments: [
      (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"),
      (Int.min, "-9,223,372,036,854,775,808"),
    ])
  func grouped(number: Int, text: String) {
    #expect(ReadableNumber.grouped(number) == text)
  }

  @Test(
    "a count of one is singular, any other is plural",
    arguments: [
      (0, "0 feeds"), (1, "1 feed"), (2, "2 feeds"), (-1, "-1 feeds"), (1_000, "1,000 feeds"),
    ])
  func counted(number: Int, text: String) {
    #expect(ReadableNumber.counted(number, "feed") == text)
  }

  @Test(
    "decimals are rounded and padded",
    arguments: [
      (3.14159, 2, "3.14"), (0.05, 1, "0.1"), (2, 3, "2.000"), (1.999, 1, "2.0"), (7.6, 0, "8"),
      (-1.25, 2, "-1.25"), (-0.001, 1, "0.0"), (1.007, 2, "1.01"), (.nan, 1, "-"),
      (.infinity, 1, "-"), (1e12, 1, "-"),
    ])
  func fixed(number: Double, decimals: Int, text: String) {
    #expect(ReadableNumber.fixed(number, decimals: decimals) == text)
  }

  @Test(
    "bytes have the unit that fits",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
      (120_340_000, "120.3 MB"), (999_949_999, "999.9 MB"), (999_950_000, "1.00 GB"),
      (1_140_000_000, "1.14 GB"),
    ])
  func bytes(count: Int, text: String) {
    #expect(ReadableNumber.bytes(count) == text)
  }

  @Test(
    "times are rounded up to seconds",
    arguments: [
      (0, "0:00"), (0.2, "0:01"), (59.5, "1:00"), (750, "12:30"), (3_723, "1:02:03"),
      (-1, "-"), (.nan, "-"), (.infinity, "-"),
    ])
  func time(seconds: Double, text: String) {
    #expect(ReadableNumber.time(seconds) == text)
  }
}
