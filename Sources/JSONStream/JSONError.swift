/// Why a document was rejected, and where.
///
/// Offsets count from 0 and include a byte order mark; lines, columns and record numbers count
/// from 1, as editors do.
public struct JSONError: Error, Sendable, Hashable {
  /// The kind of fault.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The name in machine-readable reports.
    public let rawValue: String
    /// Creates a kind with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Text that is not JSON (RFC 8259).
    public static let syntax = Kind(rawValue: "syntax")
    /// The input ends inside a value.
    public static let truncated = Kind(rawValue: "truncated")
    /// Bytes that are not UTF-8 (RFC 3629).
    public static let encoding = Kind(rawValue: "encoding")
    /// Half of a surrogate pair in an escape (RFC 8259, section 8.2).
    public static let surrogate = Kind(rawValue: "surrogate")
    /// A limit of ``JSONLimits`` was exceeded.
    public static let limit = Kind(rawValue: "limit")
    /// A record that is valid JSON but breaks its payload contract.
    public static let schema = Kind(rawValue: "schema")
    /// A document whose records cannot be found, or have no known kind.
    public static let shape = Kind(rawValue: "shape")
    /// A document in which its service reports that it failed, in place of records.
    public static let failedAnswer = Kind(rawValue: "failedAnswer")
    /// There is nothing to read at the path given.
    public static let noInput = Kind(rawValue: "noInput")
    /// Compressed input that is damaged, cut off or needs too much memory. The byte offset is one
    /// in the compressed input.
    public static let compression = Kind(rawValue: "compression")
    /// A fault of FeedCore itself, never of the document. Please report it.
    public static let `internal` = Kind(rawValue: "internal")
    /// Reading failed.
    public static let inputOutput = Kind(rawValue: "inputOutput")
    /// The caller asked to stop.
    public static let cancelled = Kind(rawValue: "cancelled")
  }

  /// A value that breaks its contract.
  public struct Mismatch: Sendable, Hashable {
    /// The field, its path joined by dots.
    public var field: String
    /// What its contract expects, in words.
    public var expected: String
    /// What was found, in words or as its text.
    public var found: String

    package init(field: String, expected: String, found: String) {
      self.field = field
      self.expected = expected
      self.found = found
    }
  }

  /// The kind of fault.
  public var kind: Kind
  /// What is wrong, in a few words.
  public var reason: String
  /// The file as the caller named it.
  public var file: String
  /// The first byte of the offending token, or the offending byte itself.
  public var byteOffset: Int
  /// The line of that byte.
  public var line: Int
  /// The column of that byte, in bytes.
  public var column: Int
  /// The column of the character that the byte belongs to, in Unicode code points.
  public var characterColumn: Int
  /// The record it belongs to, if it belongs to one.
  public var record: Int?
  /// The JSON Pointer (RFC 6901) in the document; in line-delimited input, in the record.
  public var pointer: String
  /// The text around the fault, control characters replaced.
  public var excerpt: String
  /// How many characters of the excerpt precede the fault.
  public var excerptCaret: Int
  /// For a schema error of one field, the field and its value.
  public var mismatch: Mismatch?

  package init(
    _ kind: Kind, _ reason: String, file: String = "", byteOffset: Int = 0, line: Int = 1,
    column: Int = 1, characterColumn: Int = 1, record: Int? = nil, pointer: String = "",
    excerpt: String = "", excerptCaret: Int = 0, mismatch: Mismatch? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.file = file
    self.byteOffset = byteOffset
    self.line = line
    self.column = column
    self.characterColumn = characterColumn
    self.record = record
    self.pointer = pointer
    self.excerpt = excerpt
    self.excerptCaret = excerptCaret
    self.mismatch = mismatch
  }
}

extension JSONError {
  /// The excerpt and, below it, a caret under the fault; nil for an error without an excerpt.
  ///
  /// The caret is aligned if each character of the text is one column wide.
  public var markedExcerpt: String? {
    guard !excerpt.isEmpty else { return nil }
    return excerpt + "\n" + String(repeating: " ", count: excerptCaret) + "^"
  }
}

extension JSONError: CustomStringConvertible {
  /// `file:line:column: reason (byte offset, record number, JSON path)`.
  public var description: String {
    if kind == .noInput || kind == .inputOutput || kind == .cancelled {
      return file.isEmpty ? reason : "\(file): \(reason)"
    }
    if kind == .compression {
      return "\(file): \(reason) (byte \(byteOffset) of the compressed input)"
    }
    var details = ["byte \(byteOffset)"]
    if let record { details.append("record \(record)") }
    if !pointer.isEmpty { details.append(TerminalText.escaped(pointer)) }
    return "\(file):\(line):\(column): \(reason) (\(details.joined(separator: ", ")))"
  }
}

/// Text from a payload, made safe to show on a terminal.
package enum TerminalText {
  /// Escapes control characters, so that no payload can move the cursor or start a sequence.
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isControl(scalar):
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  // C0, DEL, C1 and the marks that change the direction of the text around them.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
