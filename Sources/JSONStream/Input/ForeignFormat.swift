/// A format that is recognized but not read. The error names it and what converts it.
struct ForeignFormat: Sendable, Equatable {
  /// What the input is: "compressed by xz", "CSV".
  let description: String
  /// The command that writes JSON in UTF-8 to its standard output; nil if no command can.
  let command: String?
  let kind: JSONError.Kind

  /// The error for an input in this format.
  ///
  /// - Parameter isInside: whether the input is compressed, and this is the format of its content
  func error(named file: String, isInside: Bool = false) -> JSONError {
    let advice =
      command.map { "give what `\($0)` writes as standard input" }
      ?? "it may be the error page of a service"
    let subject = isInside ? "its content is" : kind == .compression ? "is" : "the input is"
    return JSONError(
      isInside ? .compression : kind,
      "\(subject) \(description), which is not read here; "
        + (isInside && command != nil ? "decompress it, then " : "") + advice,
      file: file)
  }

  private static func compressed(by name: String, _ command: String) -> ForeignFormat {
    ForeignFormat(
      description: "compressed by \(name)", command: command, kind: .compression)
  }

  private static func encoded(in name: String, _ encoding: String) -> ForeignFormat {
    ForeignFormat(
      description: name, command: "iconv -f \(encoding) -t UTF-8 FILE",
      kind: .encoding)
  }

  private static func text(_ name: String, _ command: String?) -> ForeignFormat {
    ForeignFormat(description: name, command: command, kind: .syntax)
  }

  /// The format of decompressed content; nil for one that is read.
  static func ofContent(_ bytes: UnsafeRawBufferPointer) -> ForeignFormat? {
    var head = InputHead()
    head.append(bytes.prefix(InputHead.maximumCount))
    if head.format == nil { head.append([]) }
    return switch head.format {
    case .gzip: compressed(by: "gzip again", "gzip -dc FILE")
    case .zstd: compressed(by: "zstd again", "zstd -dc FILE")
    case .foreign(let format): format
    case .plain, nil: nil
    }
  }

  // MARK: - Magic numbers

  /// The first bytes of formats. No JSON text in UTF-8 begins with any of them.
  static let magicNumbers: [(bytes: [ClosedRange<UInt8>], format: ForeignFormat)] = [
    (exactly(0xFD, 0x37, 0x7A, 0x58), compressed(by: "xz", "xz -dc FILE")),
    (exactly(0x42, 0x5A, 0x68) + [0x31...0x39], compressed(by: "bzip2", "bzip2 -dc FILE")),
    (exactly(0x50, 0x4B, 0x03, 0x04), compressed(by: "zip", "unzip -p FILE")),
    (exactly(0x04, 0x22, 0x4D, 0x18), compressed(by: "lz4", "lz4 -dc FILE")),
    (exactly(0x37, 0x7A, 0xBC, 0xAF), compressed(by: "7z", "7z x -so FILE")),
    // RFC 1950: deflate with a window of 32 KiB, at four levels
    (exactly(0x78, 0x01), zlib), (exactly(0x78, 0x5E), zlib),
    (exactly(0x78, 0x9C), zlib), (exactly(0x78, 0xDA), zlib),
    // Byte order marks, or without one a letter or bracket with zeros around it
    (exactly(0xFF, 0xFE), encoded(in: "UTF-16", "UTF-16")),
    (exactly(0xFE, 0xFF), encoded(in: "UTF-16", "UTF-16")),
    (exactly(0xFF, 0xFE, 0, 0), encoded(in: "UTF-32", "UTF-32")),
    (exactly(0, 0, 0xFE, 0xFF), encoded(in: "UTF-32", "UTF-32")),
    ([character] + exactly(0) + [ascii] + exactly(0), encoded(in: "UTF-16", "UTF-16LE")),
    (exactly(0) + [character] + exactly(0) + [ascii], encoded(in: "UTF-16", "UTF-16BE")),
    ([character] + exactly(0, 0, 0), encoded(in: "UTF-32", "UTF-32LE")),
    (exactly(0, 0, 0) + [character], encoded(in: "UTF-32", "UTF-32BE")),
  ]

  private static let zlib = compressed(by: "zlib", "zlib-flate -uncompress <FILE")
  private static let character: ClosedRange<UInt8> = 0x5B...0x7B
  private static let ascii: ClosedRange<UInt8> = 0x09...0x7E

  private static func exactly(_ bytes: UInt8...) -> [ClosedRange<UInt8>] { bytes.map { $0...$0 } }

  // MARK: - Text

  /// What the first bytes of an input without a magic number are.
  enum Recognition {
    /// They may be JSON, or are of no known format.
    case json
    /// More bytes are needed.
    case undecided
    case foreign(ForeignFormat)
  }

  /// Recognizes text that is not JSON, and tar archives.
  ///
  /// - Parameter isWhole: whether the input has no more bytes
  static func recognized(inText bytes: [UInt8], isWhole: Bool) -> Recognition {
    guard let first = bytes.first else { return isWhole ? .json : .undecided }
    switch beginsJSON(bytes, first) {
    case true: return .json
    case nil where !isWhole: return .undecided
    default: break
    }
    // POSIX.1-2017, pax, ustar Interchange Format: the name of the first file, other fields, and the
    // magic number.
    if bytes.dropFirst(257).starts(with: "ustar".utf8) {
      return .foreign(text("a tar archive", "tar -xOf FILE"))
    }
    let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    guard isWhole || lines.count > 2 else { return .undecided }
    if first == UInt8(ascii: "<") { return .foreign(text("HTML or XML", nil)) }
    if bytes.starts(with: ")]}'".utf8) {
      return .foreign(text("JSON behind the line )]}'", "tail -n +2 FILE"))
    }
    return isTable(lines) ? .foreign(text("CSV", "mlr --icsv --ojson cat FILE")) : .json
  }

  /// Whether a JSON text may begin with these bytes; nil if they end inside a word or string.
  private static func beginsJSON(_ bytes: [UInt8], _ first: UInt8) -> Bool? {
    switch first {
    case UInt8(ascii: "t"): return begins(bytes, with: "true")
    case UInt8(ascii: "f"): return begins(bytes, with: "false")
    case UInt8(ascii: "n"): return begins(bytes, with: "null")
    case UInt8(ascii: "\""):
      // A separator after the closing quote of the first string shows a table.
      var isEscaped = false
      for (index, byte) in bytes.enumerated().dropFirst() {
        if byte == 0x0A { return true }
        if byte == UInt8(ascii: "\""), !isEscaped {
          guard index + 1 < bytes.count else { return nil }
          return !separators.contains(bytes[index + 1])
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      }
      return nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "<"), UInt8(ascii: ")"), UInt8(ascii: "_"), UInt8(ascii: "#"),
      UInt8(ascii: "."), UInt8(ascii: "/"):
      return false
    default: return true
    }
  }

  private static func begins(_ bytes: [UInt8], with word: StaticString) -> Bool? {
    word.withUTF8Buffer { word in
      guard zip(bytes, word).allSatisfy({ $0 == $1 }) else { return false }
      return bytes.count < word.count ? nil : true
    }
  }

  private static let separators: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"),
  ]

  /// Whether the first two lines have the same number of fields, at least two, and no brackets.
  private static func isTable(_ lines: [ArraySlice<UInt8>]) -> Bool {
    guard lines.count > 1 else { return false }
    let hasBrackets = lines.prefix(2).joined().contains { $0 == 0x5B || $0 == 0x7B }
    return !hasBrackets
      && separators.contains { separator in
        let counts = lines.prefix(2).map { fieldCount($0, separator) }
        return counts[0] > 1 && counts[0] == counts[1]
      }
  }

  private static func fieldCount(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> Int {
    var isQuoted = false
    return line.reduce(into: 1) { count, byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == separator, !isQuoted { count += 1 }
    }
  }
}
