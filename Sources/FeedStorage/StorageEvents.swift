import CoreMetrics
import Logging

/// The metrics and log messages that the store emits through swift-metrics and swift-log.
///
/// Events are rare, so each one looks up its metrics: a program may choose its backend after it has
/// opened a store. Messages have the level `debug`. Failures are thrown and not logged.
enum StorageEvents {
  private static var logger: Logger { Logger(label: "feedcore.storage") }

  static func ingested(_ report: IngestReport, in duration: Duration) {
    Counter(label: "feedcore_ingested_records_total").increment(by: report.records)
    Counter(label: "feedcore_ingested_bytes_total").increment(by: report.bytes)
    Timer(label: "feedcore_ingest_duration_seconds")
      .recordNanoseconds(Int64(duration / .nanoseconds(1)))
    logger.debug(
      "a payload was ingested",
      metadata: [
        "feed": "\(report.feed.name)", "records": "\(report.records)",
        "rejected": "\(report.rejected)", "unusableURLs": "\(report.unusableURLs)",
        "bytes": "\(report.bytes)", "duration": "\(duration)",
      ])
  }

  static func published(_ feed: FeedDescription) {
    Counter(label: "feedcore_published_generations_total").increment()
    logger.debug(
      "a generation was published",
      metadata: [
        "feed": "\(feed.name)", "generation": "\(feed.generation)",
        "records": "\(feed.recordCount)",
      ])
  }

  static func swept(_ report: SweepReport) {
    Counter(label: "feedcore_swept_generations_total").increment(by: report.removed)
    Counter(label: "feedcore_swept_bytes_total").increment(by: report.freedBytes)
    logger.debug(
      "generations were removed",
      metadata: ["generations": "\(report.removed)", "bytes": "\(report.freedBytes)"])
  }

  static func evicted(images count: Int) {
    Counter(label: "feedcore_evicted_images_total").increment(by: count)
    logger.debug("images were evicted", metadata: ["images": "\(count)"])
  }

  static func swept(_ report: ImageSweepReport) {
    Counter(label: "feedcore_swept_images_total").increment(by: report.removed)
    logger.debug(
      "images were removed",
      metadata: ["images": "\(report.removed)", "bytes": "\(report.freedBytes)"])
  }
}
