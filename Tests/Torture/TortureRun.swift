import Foundation
import TestSupport

/// Runs the chosen parts, one after another.
struct TortureRun {
  private var parts: [any TorturePart.Type] = []
  private var options = TortureOptions()
  private(set) var isSelfTest = false

  /// Nil if a word is unknown or an option lacks its value.
  init?(_ words: [String]) {
    var words = words.makeIterator()
    while let word = words.next() {
      if word.hasPrefix("--") {
        guard let value = words.next(), take(word, value) else { return nil }
      } else {
        guard let part = tortureParts.first(where: { $0.name == word }) else { return nil }
        parts.append(part)
      }
    }
    if parts.isEmpty { parts = tortureParts }
  }

  private mutating func take(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--size":
      guard let size = TortureSize(rawValue: value) else { return false }
      options.size = size
    case "--seed":
      guard let seed = UInt64(value) else { return false }
      options.seed = seed
    case "--self-test": isSelfTest = value == "yes"
    case "--feedcore": options.feedcore = value
    case "--preload": options.preload = value
    case "--root": options.root = value
    case "--findings": options.findings = value
    case "--replay": options.replay = value
    case "--place": options.place = value
    default: return false
    }
    return true
  }

  /// The outcome of one run of a part.
  private enum Outcome {
    case passed(String)
    case failed(String)
    case skipped(String)
  }

  /// Every promise must hold. Returns the exit status.
  func run() -> CInt {
    var (failed, skipped) = (0, 0)
    for part in parts {
      let (outcome, seconds) = run(part, fault: nil)
      switch outcome {
      case .passed(let figures): say("PASS", part.name, figures, seconds)
      case .failed(let reason):
        failed += 1
        say("FAIL", part.name, reason, seconds)
      case .skipped(let reason):
        skipped += 1
        say("SKIP", part.name, reason, seconds)
      }
    }
    write("\(parts.count) parts, \(failed) failed, \(skipped) skipped, seed \(options.seed)")
    return failed == 0 ? 0 : 1
  }

  /// Every planted fault must be found. Returns the exit status.
  func selfTest() -> CInt {
    var (missed, skipped) = (0, 0)
    for part in parts {
      for fault in part.faults {
        let (outcome, seconds) = run(part, fault: fault)
        switch outcome {
        case .failed(let reason): say("FOUND", "\(part.name) with \(fault)", reason, seconds)
        case .passed(let figures):
          missed += 1
          say("MISSED", "\(part.name) with \(fault)", figures, seconds)
        case .skipped(let reason):
          skipped += 1
          say("SKIP", "\(part.name) with \(fault)", reason, seconds)
        }
      }
    }
    write("\(parts.count) parts, \(missed) faults missed, \(skipped) skipped")
    return missed == 0 ? 0 : 1
  }

  private func run(_ part: any TorturePart.Type, fault: String?) -> (Outcome, Double) {
    let began = ContinuousClock.now
    let outcome: Outcome
    do {
      let directory = try TemporaryDirectory()
      let memory = try TemporaryDirectory(inMemory: true)
      var options = options
      options.workspace = directory.path
      options.memory = memory.path
      options.fault = fault
      outcome = .passed(try withExtendedLifetime((directory, memory)) { try part.run(options) })
    } catch let skip as TortureSkip {
      outcome = .skipped("\(skip)")
    } catch {
      outcome = .failed("\(error)")
    }
    return (outcome, (ContinuousClock.now - began) / .seconds(1))
  }

  private func say(_ verdict: String, _ name: String, _ text: String, _ seconds: Double) {
    write("\(verdict) \(name): \(text) (\(String(format: "%.1f", seconds)) s)")
  }

  // Writes without a buffer, so that the line is visible at once even in a file.
  private func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
