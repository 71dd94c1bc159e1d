import CoreMetrics
import Logging

/// What a program sees of a fetch from a service through swift-metrics and swift-log.
///
/// Messages have the level `debug`. Failures are thrown and not logged.
struct FetchEvent {
  private let resource: String
  private let began = ContinuousClock.now

  /// - Parameter resource: its name in errors, without secrets.
  init(of resource: String) { self.resource = resource }

  /// The fetch has returned an answer.
  func end<Content>(with answer: RemoteAnswer<Content>) {
    switch answer {
    case .modified: report("modified")
    case .notModified: report("not_modified")
    }
  }

  /// The fetch has failed.
  func end(with error: any Error) {
    switch (error as? RemoteError)?.cause {
    case .transport(let error):
      switch error.kind {
      case .timeout: report("timeout")
      case .refused: report("refused")
      default: report("transport")
      }
    case .status: report("status")
    case nil where error is CancellationError: report("cancelled")
    default: report("content")
    }
  }

  private func report(_ outcome: String) {
    let duration = ContinuousClock.now - began
    Counter(label: "feedcore_remote_fetches_total", dimensions: [("outcome", outcome)]).increment()
    Timer(label: "feedcore_remote_fetch_duration_seconds")
      .recordNanoseconds(Int64(duration / .nanoseconds(1)))
    Logger(label: "feedcore.api").debug(
      "a fetch has ended",
      metadata: ["resource": "\(resource)", "outcome": "\(outcome)", "duration": "\(duration)"])
  }
}
