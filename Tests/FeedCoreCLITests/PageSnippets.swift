import Foundation

/// The code blocks of a page, between "```" and "```".
struct PageSnippets {
  /// A block.
  struct Block {
    /// The language after the fence: "swift", "c", "console", or nothing.
    let language: String
    let lines: [String]
  }

  /// A command line and its shown output.
  struct Command {
    let line: String
    let output: [String]
  }

  let blocks: [Block]

  init(_ page: String) {
    var blocks: [Block] = []
    var open: (language: String, lines: [String])?
    for line in page.components(separatedBy: "\n") {
      if let block = open {
        if line == "```" {
          blocks.append(Block(language: block.language, lines: block.lines))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), [])
      }
    }
    self.blocks = blocks
  }
}

extension PageSnippets.Block {
  /// The commands of a block: those after "$ " with the lines below each, else one a line.
  /// A comment at the end of a line is not part of it.
  var commands: [PageSnippets.Command] {
    guard lines.contains(where: { $0.hasPrefix("$ ") }) else {
      return lines.map { .init(line: Self.withoutComment($0), output: []) }
    }
    var commands: [(line: String, output: [String])] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        commands.append((String(line.dropFirst(2)), []))
      } else if !commands.isEmpty {
        commands[commands.count - 1].output.append(line)
      }
    }
    return commands.map { command in
      .init(
        line: Self.withoutComment(command.line),
        output: command.output.last == "" ? command.output.dropLast() : command.output)
    }
  }

  private static func withoutComment(_ line: String) -> String {
    guard let comment = line.firstRange(of: /\s+# .*$/) else { return line }
    return String(line[..<comment.lowerBound])
  }
}
