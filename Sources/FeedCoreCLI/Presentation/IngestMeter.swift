import FeedCore
import FeedTools

/// Observes an ingest: draws its progress, and measures its memory and its time.
final class IngestMeter {
  private let began = ContinuousClock.now
  private let memory = MemoryWatch()
  private var line: TerminalProgress?

  /// - Parameters:
  ///   - totalBytes: the size of all files as stored; nil if unknown.
  ///   - isSilent: true to draw nothing, not even on a terminal.
  init(totalBytes: Int?, isSilent: Bool) {
    line = isSilent ? nil : TerminalProgress(totalBytes: totalBytes)
  }

  func update(_ progress: IngestProgress) {
    line?.update(
      bytes: progress.bytes, fileBytes: progress.fileBytes, records: progress.records,
      elapsed: ContinuousClock.now - began)
  }

  /// Removes the progress line and measures for the last time.
  func finish() -> Measures {
    line = nil
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    return Measures(seconds: seconds, peakMemoryBytes: memory.peak)
  }

  struct Measures {
    let seconds: Double
    let peakMemoryBytes: Int
  }
}
