import FeedTools

/// One line of the output of `bench`: a name, a number with its unit, and ratios.
struct BenchLine {
  private static let nameColumns = 24
  private static let numberColumns = 7

  let name: String
  let number: String
  let unit: String
  var remarks: [String] = []

  var text: String {
    let nameColumn = name + String(repeating: " ", count: max(Self.nameColumns - name.count, 0))
    let padding = String(repeating: " ", count: max(Self.numberColumns - number.count, 0))
    let remarks = remarks.map { "  \($0)" }.joined()
    return "\(nameColumn)\(padding)\(number) \(unit)\(remarks)\n"
  }
}

extension BenchLine {
  /// `1.62 x (1.58 to 1.70)`
  static func ratio(_ ratio: Double, _ spread: (from: Double, to: Double)) -> String {
    let fixed = { (number: Double) in ReadableNumber.fixed(number, decimals: 2) }
    return "\(fixed(ratio)) x (\(fixed(spread.from)) to \(fixed(spread.to)))"
  }
}
