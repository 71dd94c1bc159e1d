import FeedTools
import Testing

@Suite("Progress line")
struct ProgressBarTests {
  private let half = ProgressBar(
    bytes: 500_000_000, records: 2_345_678, totalBytes: 1_000_000_000, elapsedSeconds: 2)

  @Test("a wide terminal shows bar, share, bytes, records, speed and time left")
  func wide() {
    let line = half.line(columns: 120)
    #expect(
      line == "[===============>              ]   50%  500.0 MB  2,345,678 records  250 MB/s"
        + "  0:02 left")
  }

  @Test("share and time left count bytes of the files, bytes and speed count content")
  func compressed() {
    var reading = half
    reading.fileBytes = 25_000_000
    reading.totalBytes = 100_000_000
    #expect(reading.line(columns: 60) == " 25%  500.0 MB  2,345,678 records  250 MB/s  0:06 left")
  }

  @Test("without a total there is no bar, no share and no time left")
  func unknownTotal() {
    var reading = half
    reading.totalBytes = nil
    #expect(reading.line(columns: 120) == "500.0 MB  2,345,678 records  250 MB/s")
  }

  @Test("a narrower terminal leaves out the less important parts, one by one")
  func narrow() {
    #expect(half.line(columns: 60) == " 50%  500.0 MB  2,345,678 records  250 MB/s  0:02 left")
    #expect(half.line(columns: 40) == " 50%  500.0 MB  250 MB/s  0:02 left")
    #expect(half.line(columns: 30) == " 50%  250 MB/s  0:02 left")
    #expect(half.line(columns: 20) == " 50%  0:02 left")
    #expect(half.line(columns: 10) == " 50%")
    #expect(half.line(columns: 3).isEmpty)
    #expect(half.line(columns: 0).isEmpty)
  }

  @Test("a line never reaches the last column", arguments: 0...130)
  func length(columns: Int) {
    #expect(half.line(columns: columns).utf8.count <= max(columns - 1, 0))
  }

  @Test("the start, the end and a growing file have sensible texts")
  func extremes() {
    var reading = ProgressBar(bytes: 0, records: 0, totalBytes: 10, elapsedSeconds: 0)
    #expect(reading.line(columns: 25) == "  0%  0 B  0 records")
    reading = ProgressBar(bytes: 12, records: 1, totalBytes: 10, elapsedSeconds: 1)
    #expect(reading.line(columns: 60).hasSuffix("100%  12 B  1 record  0 MB/s  0:00 left"))
    reading = ProgressBar(bytes: 5, records: 1, totalBytes: 0, elapsedSeconds: 1)
    #expect(!reading.line(columns: 60).contains("%"))
  }
}
