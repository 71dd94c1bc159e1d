#if Remote
  import FeedCore
  import FeedTools

  /// Observes a prefetch: draws its progress, and measures its time.
  final class PrefetchMeter {
    /// The progress. It is not a report: each copy of one would copy its failures.
    struct Counts {
      var fetched = 0
      var failed = 0
      var done = 0

      init() {}

      init(_ report: PrefetchReport) {
        fetched = report.fetchedCount
        failed = report.failures.count
        done = fetched + failed + report.cachedCount
      }
    }

    private let began = ContinuousClock.now
    private let imageCount: Int
    private var line: TerminalProgress?

    /// - Parameter isSilent: true to draw nothing, not even on a terminal.
    init(imageCount: Int, isSilent: Bool) {
      self.imageCount = imageCount
      line = isSilent ? nil : TerminalProgress(totalBytes: nil)
    }

    func update(_ counts: Counts) {
      let elapsed = ContinuousClock.now - began
      line?.update(elapsed: elapsed) { columns in
        var text =
          "\(ReadableNumber.grouped(counts.done)) of \(ReadableNumber.grouped(imageCount)) images"
        if counts.failed > 0 {
          text += "  \(ReadableNumber.grouped(counts.failed)) failed"
        }
        if counts.done > 0 {
          let left =
            Double(imageCount - counts.done) * (elapsed / .seconds(1)) / Double(counts.done)
          text += "  \(ReadableNumber.time(left)) left"
        }
        return String(text.prefix(max(columns - 1, 0)))
      }
    }

    /// Removes the progress line and returns the total seconds.
    func finish() -> Double {
      line = nil
      return (ContinuousClock.now - began) / .seconds(1)
    }
  }
#endif
