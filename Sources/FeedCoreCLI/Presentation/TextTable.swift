import JSONStream

/// A table of any length: the first rows settle the widths of its columns, the others follow as
/// they come.
final class TextTable {
  enum Alignment {
    case left
    case right
  }

  private static let gap = 2
  private static let narrowest = 6
  private static let rowsMeasured = 200
  /// Longer cells are cut before they are looked at: no terminal has room for them.
  private static let longestCell = 500

  private let output: Output
  private let columns: Int
  private let alignments: [Alignment]
  private var waiting: [[String]] = []
  private var widths: [Int]?

  /// - Parameters:
  ///   - titles: of the columns, with how their cells stand.
  ///   - columns: of the terminal or page; rows are no longer where that can be done.
  init(_ titles: [(String, Alignment)], columns: Int, output: Output) {
    self.output = output
    self.columns = columns
    alignments = titles.map(\.1)
    waiting = [titles.map(\.0)]
  }

  /// Adds a row. Control characters are shown as escapes.
  func add(_ cells: [String]) {
    let row = cells.map(Self.printable)
    if widths == nil {
      waiting.append(row)
      if waiting.count > Self.rowsMeasured { settle() }
    } else {
      print(row)
    }
  }

  /// Prints what has waited.
  func finish() {
    if widths == nil { settle() }
  }

  private static func printable(_ cell: String) -> String {
    let start = cell.unicodeScalars.prefix(longestCell)
    let text = TerminalText.escaped(String(String.UnicodeScalarView(start)))
    return start.endIndex < cell.unicodeScalars.endIndex ? text + "…" : text
  }

  private func settle() {
    let natural = alignments.indices.map { column in
      waiting.reduce(0) { max($0, TextWidth.of($1[column])) }
    }
    widths = fitted(natural)
    for row in waiting { print(row) }
    waiting = []
  }

  /// The widest columns give way first, down to a least width.
  private func fitted(_ natural: [Int]) -> [Int] {
    let room = columns - Self.gap * (natural.count - 1)
    var cap = natural.max() ?? 0
    while cap > Self.narrowest, natural.reduce(0, { $0 + min($1, cap) }) > room { cap -= 1 }
    return natural.map { min($0, cap) }
  }

  private func print(_ row: [String]) {
    guard let widths else { return }
    var line = ""
    for (column, cell) in row.enumerated() {
      if column > 0 { line += String(repeating: " ", count: Self.gap) }
      let text = TextWidth.cut(cell, to: widths[column])
      let padding = String(repeating: " ", count: max(widths[column] - TextWidth.of(text), 0))
      let isLast = column == row.count - 1
      line += alignments[column] == .right ? padding + text : text + (isLast ? "" : padding)
    }
    while line.last == " " { line.removeLast() }
    output.write(line + "\n")
  }
}
