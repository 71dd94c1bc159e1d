import Foundation

/// FeedCore against one peer over all rounds of a contest: one line of the results file.
struct ContestResult: Encodable {
  let group: String
  let `case`: String
  let ours: String
  let peer: String
  /// The median of the rounds.
  let ourFigure: Double
  let peerFigure: Double
  let unit: String
  let better: String
  /// How many times as good as the peer FeedCore is: the median of the rounds' ratios.
  let ratio: Double
  /// The worst and the best round's ratio.
  let low: Double
  let high: Double
  let rounds: Int

  /// - Parameter seconds: the times of FeedCore and of the peer in each round; not empty.
  init<Arena>(
    _ contest: Contest<Arena>, _ ours: Contestant<Arena>, _ peer: Contestant<Arena>,
    _ yardstick: Yardstick, seconds: [(ours: Double, peer: Double)]
  ) {
    let ratios = seconds.map { $0.peer / $0.ours }
    group = contest.group.rawValue
    self.case = contest.name
    self.ours = ours.name
    self.peer = peer.name
    ourFigure = Self.rounded(yardstick.figure(seconds: Self.median(seconds.map(\.ours))))
    peerFigure = Self.rounded(yardstick.figure(seconds: Self.median(seconds.map(\.peer))))
    unit = yardstick.unit
    better = yardstick.better
    ratio = Self.rounded(Self.median(ratios))
    low = Self.rounded(ratios.min() ?? .nan)
    high = Self.rounded(ratios.max() ?? .nan)
    rounds = seconds.count
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) && middle > 0
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// Rounds to about four digits. Further digits are noise.
  private static func rounded(_ value: Double) -> Double {
    guard value.isFinite, value > 0 else { return 0 }
    let scale = pow(10, 3 - log10(value).rounded(.down))
    return (value * scale).rounded() / scale
  }

  /// Appends each result as a line of JSON.
  static func append(_ results: [ContestResult], to path: String) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = Data()
    for result in results {
      lines += try encoder.encode(result)
      lines.append(0x0A)
    }
    let isThere = FileManager.default.fileExists(atPath: path)
    guard isThere || FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else {
      throw ContestError("the results cannot be written to \(path)")
    }
    try file.seekToEnd()
    try file.write(contentsOf: lines)
    try file.close()
  }
}
