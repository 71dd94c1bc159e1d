import JSONStream

/// A table of any length: the first rows determine the column widths, and the others are printed as
/// they arrive.
final class TextTable {
  enum Alignment {
    case left
    case right
  }

  private static let gap = 2
  private static let narrowest = 6
  private static let rowsMeasured = 200
  /// On a terminal, longer cells are truncated before they are measured. Elsewhere this is the
  /// maximum width of a column; cells after a longer one are shifted.
  private static let longestCell = 500
  /// Without truncation, rows beyond this size are not collected to be measured.
  private static let bytesMeasured = 1 << 20

  private let output: Output
  private let columns: Int?
  private let alignments: [Alignment]
  private var waiting: [[String]] = []
  private var waitingBytes = 0
  private var widths: [Int]?

  /// - Parameters:
  ///   - titles: the titles of the columns, with their alignments.
  ///   - columns: the width of the terminal, which rows do not exceed if possible. Nil to truncate
  ///     nothing.
  init(_ titles: [(String, Alignment)], columns: Int?, output: Output) {
    self.output = output
    self.columns = columns
    alignments = titles.map(\.1)
    waiting = [titles.map(\.0)]
  }

  /// Adds a row. Control characters are shown as escapes.
  func add(_ cells: [String]) {
    let row = cells.map(printable)
    if widths == nil {
      waiting.append(row)
      waitingBytes += row.reduce(0) { $0 + $1.utf8.count }
      if waiting.count > Self.rowsMeasured || waitingBytes > Self.bytesMeasured { settle() }
    } else {
      print(row)
    }
  }

  /// Prints the collected rows.
  func finish() {
    if widths == nil { settle() }
  }

  private func printable(_ cell: String) -> String {
    guard columns != nil else { return TerminalText.escaped(cell) }
    let start = cell.unicodeScalars.prefix(Self.longestCell)
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

  /// Narrows the widest columns first, down to a minimum width.
  private func fitted(_ natural: [Int]) -> [Int] {
    guard let columns else { return natural.map { min($0, Self.longestCell) } }
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
      let text = columns == nil ? cell : TextWidth.cut(cell, to: widths[column])
      let padding = String(repeating: " ", count: max(widths[column] - TextWidth.of(text), 0))
      let isLast = column == row.count - 1
      line += alignments[column] == .right ? padding + text : text + (isLast ? "" : padding)
    }
    while line.last == " " { line.removeLast() }
    output.write(line + "\n")
  }
}
