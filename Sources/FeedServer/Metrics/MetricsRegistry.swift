package import CoreMetrics
import Synchronization

/// Metrics by name and labels, and their text for Prometheus.
///
/// The server takes its own counters from a registry and keeps them, so that counting is one atomic
/// addition. As the factory of swift-metrics, the registry also holds the metrics that other parts
/// of the program report.
///
/// Exposition formats: <https://prometheus.io/docs/instrumenting/exposition_formats/>
package final class MetricsRegistry: MetricsFactory {
  /// The metrics of one name, by their labels.
  private struct Family {
    let type: String
    var metrics: [String: any ExposedMetric] = [:]
  }

  private let families = Mutex<[String: Family]>([:])

  package init() {}

  func counter(_ name: String, _ labels: [(String, String)] = []) -> MetricCounter {
    metric(name, labels, MetricCounter())
  }

  func gauge(_ name: String, _ labels: [(String, String)] = []) -> MetricGauge {
    metric(name, labels, MetricGauge())
  }

  func histogram(
    _ name: String, _ labels: [(String, String)] = [], _ bounds: [Double] = MetricHistogram.seconds
  ) -> MetricHistogram {
    metric(name, labels, MetricHistogram(bounds))
  }

  /// The metric with a name and labels. If there is none, `new` is registered and returned. If
  /// metrics of another type have the name, `new` is returned and not shown.
  private func metric<Metric: ExposedMetric>(
    _ name: String, _ labels: [(String, String)], _ new: Metric
  ) -> Metric {
    let name = Self.name(name)
    let labels = Self.text(labels)
    return families.withLock { families in
      let family = families[name] ?? Family(type: Metric.type)
      guard family.type == Metric.type else { return new }
      if let known = family.metrics[labels] { return known as? Metric ?? new }
      families[name, default: family].metrics[labels] = new
      return new
    }
  }

  // MARK: swift-metrics

  package func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler {
    counter(label, dimensions)
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    gauge(label, dimensions)
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    aggregate ? histogram(label, dimensions, MetricHistogram.sizes) : gauge(label, dimensions)
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions)
  }

  // A destroyed metric is shown until the process ends, so that its series continues.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  // MARK: Text

  /// All metrics by their names.
  package var text: String {
    families.withLock { families in
      var text = ""
      for (name, family) in families.sorted(by: { $0.key < $1.key }) {
        text += "# HELP \(name) \(Self.descriptions[name] ?? "Reported by the program.")\n"
        text += "# TYPE \(name) \(family.type)\n"
        for (labels, metric) in family.metrics.sorted(by: { $0.key < $1.key }) {
          text += metric.text(name, labels)
        }
      }
      return text
    }
  }

  static func sample(
    _ name: String, _ labels: String, _ value: some CustomStringConvertible
  ) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  /// A label of swift-metrics in the characters that Prometheus allows.
  private static func name(_ label: String) -> String {
    let name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return name.first?.isNumber == true ? "_" + name : name
  }

  private static func text(_ labels: [(String, String)]) -> String {
    labels.map { key, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(name(key))=\"\(escaped)\""
    }.joined(separator: ",")
  }

  private static let descriptions = [
    "feedcore_requests_total": "Requests that were answered.",
    "feedcore_refusals_total": "Clients that were refused, by reason.",
    "feedcore_connections": "Open connections.",
    "feedcore_connections_total": "Accepted connections.",
    "feedcore_received_bytes_total": "Bytes received from clients.",
    "feedcore_sent_bytes_total": "Bytes sent to clients.",
    "feedcore_lookups_total": "Lookups of records and images.",
    "feedcore_hot_answers_total": "Responses of HTTP from the cache.",
    "feedcore_request_duration_seconds": "Time until a response began.",
    "feedcore_feed_records": "Records of a feed.",
    "feedcore_feed_generation": "Generation of a feed.",
    "feedcore_feed_age_seconds": "Time since a feed was current.",
    "feedcore_ingested_records_total": "Records that ingests of this process stored.",
    "feedcore_ingested_bytes_total": "Decompressed bytes that ingests of this process read.",
    "feedcore_ingest_duration_seconds": "Duration of an ingest.",
    "feedcore_published_generations_total": "Generations that this process published.",
    "feedcore_swept_generations_total": "Generations that this process removed.",
    "feedcore_swept_bytes_total": "Bytes of removed generations.",
    "feedcore_evicted_images_total": "Images evicted to keep the byte cap.",
    "feedcore_swept_images_total": "Images removed because no feed names them, or expired.",
    "feedcore_remote_fetches_total": "Fetches from services, by outcome.",
    "feedcore_remote_fetch_duration_seconds": "Duration of a fetch from a service.",
  ]
}
