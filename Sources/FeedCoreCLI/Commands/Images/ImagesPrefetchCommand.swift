#if Remote
  import ArgumentParser
  import FeedCore
  import FeedTools
  import JSONStream
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `feedcore images prefetch`
  struct ImagesPrefetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prefetch",
      abstract: "Fetch and store the images that a feed names.",
      discussion: """
        Skips images that are already stored, and URLs that lead nowhere. Ends with 69 if none of the others could be fetched.

        Images on this machine and on private networks are not fetched, unless they are at the host \
        and port of the feed's own service.

        EXAMPLES:
          feedcore images prefetch feed
          feedcore images prefetch feed --concurrency 16 --json | jq .failed
        """)

    /// The maximum number of failures that are printed. Further ones are only counted.
    private static let maximumReportedFailures = 10

    @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
    var name: String

    @OptionGroup var store: ChangedStoreOptions

    @Option(help: ArgumentHelp("The number of images to fetch at once.", valueName: "n"))
    var concurrency = 8

    @Flag(help: "Also fetch images on this machine and on private networks.")
    var allowPrivateImages = false

    @Flag(help: "Print no progress and no last line.")
    var quiet = false

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    func validate() throws {
      guard (1...256).contains(concurrency) else {
        throw ValidationError("--concurrency takes 1 to 256")
      }
    }

    func run() throws {
      let feed = try store.location.feed(named: name)
      let images = try store.openImages()
      let (urls, unusable) = try urls(of: feed)
      Interruption.install()
      var options = AsyncHTTPTransport.Options()
      options.connectionsPerHost = concurrency
      if !allowPrivateImages {
        // A feed of a file has no service, and its origin is the file's path.
        let service = ServiceURL(argument: feed.description.origin)?.url
        options.privateAddresses = .refused(exceptAt: service.map { [$0] } ?? [])
      }
      let source = ImageSource(images, client: AsyncHTTPTransport(options))
      let concurrency = concurrency
      let counts = Mutex(PrefetchMeter.Counts())
      let meter = PrefetchMeter(imageCount: urls.count, isSilent: quiet || json)
      let result = AwaitedWork.result {
        meter.update(counts.withLock { $0 })
      } of: {
        try await source.prefetch(urls, maximumInFlight: concurrency) { report in
          counts.withLock { $0 = PrefetchMeter.Counts(report) }
        }
      }
      let seconds = meter.finish()
      switch result {
      case .success(let report): try print(report, unusable, seconds)
      case .failure(let error):
        if Interruption.isRequested {
          let fetched = ReadableNumber.counted(counts.withLock { $0.fetched }, "image")
          throw Failure(.interrupted, "interrupted; \(fetched) fetched and stored")
        }
        throw Failure(any: error)
      }
    }

    /// The URLs that can be requested, each once, and the number of others in the fields of images.
    private func urls(of feed: Feed) throws -> (urls: [URL], unusable: Int) {
      var seen: Set<URL> = []
      var urls: [URL] = []
      var unusable = 0
      try feed.forEachImageURL { text, _ in
        let text = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        if let url = ServiceURL(argument: text)?.url {
          if seen.insert(url).inserted { urls.append(url) }
        } else {
          unusable += 1
        }
        return true
      }
      return (urls, unusable)
    }

    private func print(
      _ report: PrefetchReport, _ unusable: Int, _ seconds: Double
    ) throws(Failure) {
      for failure in report.failures.prefix(Self.maximumReportedFailures) {
        StandardStreams.complain(Failure(any: failure.error).message)
      }
      let others = report.failures.count - Self.maximumReportedFailures
      if others > 0 {
        StandardStreams.complain("\(ReadableNumber.grouped(others)) other images failed")
      }
      let output = Output.standard()
      if json {
        output.write(line(report, unusable, seconds))
      } else if !quiet {
        output.write(
          "\(name): \(ReadableNumber.counted(report.fetchedCount, "image")) fetched,"
            + " \(ReadableNumber.grouped(report.cachedCount)) already stored,"
            + " \(ReadableNumber.grouped(report.failures.count)) failed,"
            + (unusable > 0 ? " \(ReadableNumber.counted(unusable, "unusable URL"))," : "")
            + " \(ReadableNumber.fixed(seconds, decimals: 2)) s\n")
      }
      try output.finish()
      if report.fetchedCount == 0, !report.failures.isEmpty { throw Failure(.unavailable) }
    }

    private func line(
      _ report: PrefetchReport, _ unusable: Int, _ seconds: Double
    ) -> JSONLine {
      var line = JSONLine()
      line.add("feed", name)
      line.add("fetched", report.fetchedCount)
      line.add("cached", report.cachedCount)
      line.add("failed", report.failures.count)
      line.add("unusableURLs", unusable)
      line.add("seconds", seconds, decimals: 6)
      return line
    }
  }

  /// Observes a prefetch: draws its progress, and measures its time.
  final class PrefetchMeter {
    /// The progress. It is not a `PrefetchReport`, because each copy of a report copies its
    /// failures.
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
