import Foundation
import Synchronization

/// Makes documents and compares the results of the parser and the judge, on several workers.
///
/// Each document is read in every way, or has many records, from which lanes learn what they then
/// replay.
///
/// Document N of a seed is the same in every run, for any number of workers.
@MainActor
final class Differential {
  /// Seconds after which a document counts as one that never ends.
  private static let patience = 60

  private let options: FuzzOptions
  private let hasManyRecords: Bool
  private let workers: [Worker]
  private let began = Date()

  init(_ options: FuzzOptions, hasManyRecords: Bool = false) {
    self.options = options
    self.hasManyRecords = hasManyRecords
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
        group.addTask { [options, hasManyRecords] in
          hasManyRecords
            ? Self.replay(worker, options, until: deadline)
            : Self.work(worker, options, until: deadline)
        }
      }
      for await part in group { figures += part }
    }
    watchdog.cancel()
    let seconds = Date().timeIntervalSince(began)
    print(hasManyRecords ? figures.recordLine : figures.documentLine, terminator: "")
    print(", seed \(options.seed), \(String(format: "%.1f", seconds)) s")
    return figures.differences == 0
  }

  private nonisolated static func work(
    _ worker: Worker, _ options: FuzzOptions, until deadline: Date
  ) -> Figures {
    let mutator = Mutator(seeds: SeedDocuments(directory: options.seedDirectory))
    var figures = Figures()
    var number = options.first + worker.number
    while number < options.first + (options.documents ?? 1_000_000) {
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

  // Each worker makes documents until it has read its share of the records.
  private nonisolated static func replay(
    _ worker: Worker, _ options: FuzzOptions, until deadline: Date
  ) -> Figures {
    let mutator = RecordMutator(seeds: SeedRecords(directory: options.seedDirectory))
    var figures = Figures()
    var number = options.first + worker.number
    while figures.mutants < options.records / options.workers,
      number - options.first < options.documents ?? .max
    {
      if Date() >= deadline { break }
      worker.document.store(number, ordering: .relaxed)
      var random = DocumentGenerator(seed: options.seed, document: number)
      let document = mutator.document(using: &random)
      var check = ReplayCheck(document, using: &random)
      check.run()
      figures.add(check)
      if !check.differences.isEmpty, figures.differences <= options.reports {
        print(Reproducer(check.minimized(), number: number, seed: options.seed).text)
      }
      number += options.workers
    }
    worker.document.store(Worker.idle, ordering: .relaxed)
    return figures
  }

  // A document that never ends would block its worker forever.
  private func watch() async {
    // Counted, not measured: the process may be suspended for a while.
    var seen = workers.map { _ in (document: Worker.idle, seconds: 0) }
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      for (index, worker) in workers.enumerated() {
        let document = worker.document.load(ordering: .relaxed)
        if document != seen[index].document || document == Worker.idle {
          seen[index] = (document, 0)
        } else if seen[index].seconds < Self.patience {
          seen[index].seconds += 1
        } else {
          print("document \(document) of seed \(options.seed) does not come to an end")
          exit(1)
        }
      }
    }
  }
}
