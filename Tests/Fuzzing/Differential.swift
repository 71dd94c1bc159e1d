import Foundation
import Synchronization

/// Makes documents and compares what the parser and the judge say of each, on several workers.
///
/// Document N of a seed is the same in every run, however many workers there are.
@MainActor
final class Differential {
  /// How long a document may take before it counts as one that never ends.
  private static let patience = 60.0

  private let options: FuzzOptions
  private let workers: [Worker]
  private let began = Date()

  init(_ options: FuzzOptions) {
    self.options = options
    workers = (0..<options.workers).map { Worker(number: $0) }
  }

  /// True if there was no difference.
  func run() async -> Bool {
    CrashNote.install(watching: workers, seed: options.seed)
    let deadline = began.addingTimeInterval(min(options.seconds, 1e9))
    let watchdog = Task { await watch() }
    var figures = Figures()
    await withTaskGroup(of: Figures.self) { group in
      for worker in workers {
        group.addTask { [options] in
          Self.work(worker, options, until: deadline)
        }
      }
      for await part in group { figures += part }
    }
    watchdog.cancel()
    print(line(figures))
    return figures.differences == 0
  }

  private func line(_ figures: Figures) -> String {
    let seconds = Date().timeIntervalSince(began)
    return """
      documents \(figures.documents), valid \(figures.texts), \
      invalid \(figures.documents - figures.texts), valid as records \(figures.records), \
      parser runs \(figures.parserRuns), differences \(figures.differences), \
      wrong verdicts \(figures.wrongVerdicts), seed \(options.seed), \(String(format: "%.1f", seconds)) s
      """
  }

  private nonisolated static func work(
    _ worker: Worker, _ options: FuzzOptions, until deadline: Date
  ) -> Figures {
    let mutator = Mutator(seeds: SeedDocuments(directory: options.seedDirectory))
    var figures = Figures()
    var number = options.first + worker.number
    while number < options.first + options.documents {
      if figures.documents % 256 == 0, Date() >= deadline { break }
      worker.document.store(number, ordering: .relaxed)
      var random = DocumentGenerator(seed: options.seed, document: number)
      let document = mutator.document(using: &random)
      var check = DocumentCheck(document, using: &random)
      check.run()
      figures.add(check)
      if !check.differences.isEmpty, figures.differences <= options.reports {
        print(Reproducer(check, number: number, seed: options.seed).text)
      }
      number += options.workers
    }
    worker.document.store(Worker.idle, ordering: .relaxed)
    return figures
  }

  // A document that never ends would keep its worker for ever.
  private func watch() async {
    var seen = workers.map { _ in (document: Worker.idle, since: Date()) }
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      for (index, worker) in workers.enumerated() {
        let document = worker.document.load(ordering: .relaxed)
        if document != seen[index].document || document == Worker.idle {
          seen[index] = (document, Date())
        } else if Date().timeIntervalSince(seen[index].since) > Self.patience {
          print("document \(document) of seed \(options.seed) does not come to an end")
          exit(1)
        }
      }
    }
  }
}
