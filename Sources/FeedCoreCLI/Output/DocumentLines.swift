import FeedCore
import JSONStream

/// The values of a JSON text, each with its path on a line of its own. An empty object or array is
/// a value.
struct DocumentLines: ~Escapable {
  /// The widest column of paths. A longer path shifts its value.
  private static let maximumWidth = 40

  private let text: RawSpan

  @_lifetime(copy text)
  init(_ text: RawSpan) { self.text = text }

  /// Prints the lines, with the paths in a column. A string of several lines takes several lines.
  func print(to output: Output) {
    var width = 0
    forEachValue { path, _ in
      width = max(width, min(TextWidth.of(path), Self.maximumWidth))
      return true
    }
    forEachValue { path, value in
      let lines =
        value.isEmpty
        ? [""] : value.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, line) in lines.enumerated() {
        let name = index > 0 ? "" : path
        let padding = String(repeating: " ", count: max(width - TextWidth.of(name), 0))
        let gap = width == 0 ? "" : "  "
        let shown = TerminalText.escaped(String(line))
        output.write(line.isEmpty ? name : name + padding + gap + shown)
        output.write("\n")
      }
      return output.isWritable
    }
  }

  /// An object or array that is being read.
  private struct Level {
    let isObject: Bool
    /// The path to it.
    let path: String
    var index = 0
  }

  private func forEachValue(_ body: (String, String) -> Bool) {
    var cursor = JSONCursor(text)
    var levels: [Level] = []
    var path = ""
    while true {
      if let kind = cursor.nextKind(), kind.isContainer, cursor.enter() != nil {
        // The closing bracket of an empty one follows.
        if cursor.peek() == (kind == .object ? 0x7D : 0x5D) {
          guard body(path, kind == .object ? "{}" : "[]") else { return }
        }
        levels.append(Level(isObject: kind == .object, path: path))
      } else {
        guard let range = cursor.skipValue(), body(path, value(range)) else { return }
      }
      guard let next = Self.nextPath(&levels, &cursor) else { return }
      path = next
    }
  }

  private func value(_ range: Range<Int>) -> String {
    Feed.text(ofValue: text.extracting(range)) ?? "null"
  }

  /// The path of the next value; nil at the end.
  private static func nextPath(_ levels: inout [Level], _ cursor: inout JSONCursor) -> String? {
    while let level = levels.last {
      if level.isObject, let key = cursor.nextKey() {
        return level.path + name(key.string(in: cursor.bytes), isFirst: level.path.isEmpty)
      }
      if !level.isObject, cursor.nextElement() != nil {
        levels[levels.count - 1].index += 1
        return "\(level.path)[\(level.index)]"
      }
      levels.removeLast()
    }
    return nil
  }

  /// A key as it is written in a path: in quotes unless it is plain.
  private static func name(_ key: String, isFirst: Bool) -> String {
    var text = key
    if key.isEmpty || key.utf8.contains(where: { [0x2E, 0x5B, 0x5D, 0x22, 0x2F].contains($0) }) {
      var quoted: [UInt8] = []
      JSONText.appendString(key, to: &quoted)
      text = String(decoding: quoted, as: UTF8.self)
    }
    return (isFirst ? "" : ".") + TerminalText.escaped(text)
  }
}
