import Foundation

/// The outcome of one flip.
enum FlipVerdict: Hashable {
  /// Every answer is unchanged.
  case harmless
  /// An image is missing, which is not a wrong image. Every other answer is unchanged.
  case missed
  /// A read reports that the store is damaged. Every other answer is unchanged.
  case damaged
  /// A read throws another typed error. Every other answer is unchanged.
  case otherError
  /// A signal ended the process that read the store.
  case crashed
  /// The process that read the store did not end.
  case hung
  /// An answer is wrong, and no error reports it.
  case wrong(ReadingPlan.Kind)

  private static let firstWrong: UInt8 = 8

  /// The exit status of a process with this verdict.
  var status: UInt8 {
    switch self {
    case .harmless: 0
    case .damaged: 1
    case .otherError: 2
    case .crashed, .hung: 3
    case .missed: 4
    case .wrong(let kind): Self.firstWrong + kind.rawValue
    }
  }

  /// - Parameter status: an exit status, or the number of a signal, negative
  init(status: Int32) {
    switch status {
    case 0: self = .harmless
    case 1: self = .damaged
    case 2: self = .otherError
    case 4: self = .missed
    case -SIGALRM: self = .hung
    default:
      let kind = UInt8(exactly: status - Int32(Self.firstWrong))
        .flatMap { ReadingPlan.Kind(rawValue: $0) }
      self = kind.map { .wrong($0) } ?? .crashed
    }
  }

  var name: String {
    switch self {
    case .harmless: "harmless"
    case .missed: "without an image"
    case .damaged: "damaged"
    case .otherError: "other error"
    case .crashed: "crashed"
    case .hung: "hung"
    case .wrong(let kind): "wrong \(kind)"
    }
  }

  /// Whether the outcome is forbidden.
  var isBroken: Bool {
    switch self {
    case .hung, .wrong: true
    case .harmless, .missed, .damaged, .otherError, .crashed: false
    }
  }
}

/// The number of flips for each outcome, and the flips with a forbidden outcome.
struct FlipTally {
  private var counts: [String: Int] = [:]
  private var broken: [String: Int] = [:]
  /// An example of a flip for each forbidden outcome.
  private var examples: [String: String] = [:]

  mutating func add(_ flip: Flip, _ verdict: FlipVerdict) {
    counts[verdict.name, default: 0] += 1
    guard verdict.isBroken else { return }
    let way = "\(verdict.name) by a \(flip.place)"
    broken[way, default: 0] += 1
    examples[way] = examples[way] ?? "\(flip)"
  }

  // MARK: From one process to another

  /// One line for each count.
  var lines: String {
    (counts.map { "count\t\($0.value)\t\($0.key)\n" }
      + broken.map { "broken\t\($0.value)\t\($0.key)\t\(examples[$0.key] ?? "")\n" }).joined()
  }

  mutating func add(lines: String) throws {
    for line in lines.split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      guard parts.count >= 3, let count = Int(parts[1]) else {
        throw TortureFailure("a worker said: \(line)")
      }
      if parts[0] == "count" { counts[parts[2], default: 0] += count }
      if parts[0] == "broken" {
        broken[parts[2], default: 0] += count
        examples[parts[2]] = parts.last
      }
    }
  }

  var total: Int { counts.values.reduce(0, +) }
  var isBroken: Bool { !broken.isEmpty }

  var summary: String {
    "\(total) flips: "
      + counts.sorted { $0.key < $1.key }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  var faults: String {
    broken.sorted { $0.value > $1.value }
      .map { "\($0.value) \($0.key), such as \(examples[$0.key] ?? "")" }.joined(separator: "\n  ")
  }
}
