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
  /// Where there is a terminal longer cells are cut before they are looked at: none has room for
  /// them. Elsewhere no column is set wider: what stands behind a longer cell moves on.
  private static let longestCell = 500
  /// Where nothing is cut, longer rows are not kept to be measured.
  private static let bytesMeasured = 1 << 20

  private let output: Output
  private let columns: Int?
  private let alignments: [Alignment]
  private var waiting: [[String]] = []
  private var waitingBytes = 0
  private var widths: [Int]?

  /// - Parameters:
  ///   - titles: of the columns, with how their cells stand.
  ///   - columns: of the terminal; rows are no longer where that can be done. Nil to cut nothing.
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

  /// Prints what has waited.
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

  /// The widest columns give way first, down to a least width.
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
