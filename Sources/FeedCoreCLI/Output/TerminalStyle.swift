#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Emphasis on a terminal, by ECMA-48 (SGR). There is none if NO_COLOR has a value
/// (https://no-color.org), or on a terminal without a type or of the type `dumb`.
enum TerminalStyle {
  static let isOn = StandardStreams.isOutputTerminal && isWanted

  static func heading(_ text: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[1;4m\(text)\u{1B}[0m" : text
  }

  static func faint(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  private static var isWanted: Bool {
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    guard let type = getenv("TERM"), type.pointee != 0 else { return false }
    return strcmp(type, "dumb") != 0
  }
}
