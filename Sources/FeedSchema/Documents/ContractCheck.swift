import CFeedScan
@_spi(Records) import JSONStream

/// Compares records with a contract by the values that a lane counts, so that no text is read twice.
///
/// The verdict is that of ``ContractConversion/accepts(_:)``.
struct ContractCheck {
  /// What the value at a path has to be.
  private enum Form {
    /// An object of fields.
    case group
    /// A string in a list.
    case element
    case field(PayloadSchema.Kind, isRequired: Bool)
  }

  private struct Rule {
    let form: Form
    /// The bit of a key, which is not repeated; 0 for elements.
    let bit: UInt64
  }

  private let rules: [Rule]
  private let places: [[[UInt8]?]: Int16]
  /// The bits of required fields.
  private let required: UInt64
  /// The bits of the keys of the record so far.
  private var seen: UInt64 = 0
  private var fits = true

  /// Nil if the contract has more keys than bits.
  init?(_ contract: PayloadSchema) {
    var rules: [Rule] = []
    var places: [[[UInt8]?]: Int16] = [:]
    var bits = 0
    var required: UInt64 = 0
    func add(_ form: Form, at path: [[UInt8]?], hasBit: Bool = true) {
      guard places[path] == nil else { return }
      places[path] = Int16(truncatingIfNeeded: rules.count)
      rules.append(Rule(form: form, bit: hasBit ? 1 << UInt64(bits) : 0))
      if hasBit { bits += 1 }
    }
    for field in contract.fields {
      let path: [[UInt8]?] = field.path.map { Array($0.utf8) }
      for count in 1..<path.count { add(.group, at: Array(path.prefix(count))) }
      if field.isRequired { required |= 1 << UInt64(bits) }
      add(.field(field.kind, isRequired: field.isRequired), at: path)
      if field.kind == .textList { add(.element, at: path + [nil], hasBit: false) }
    }
    guard bits <= UInt64.bitWidth else { return nil }
    (self.rules, self.places, self.required) = (rules, places, required)
  }

  /// The rule for the values of a path; -1 if the contract does not name it.
  func rule(ofPath path: [[UInt8]?]) -> Int16 { places[path] ?? -1 }

  mutating func beginRecord() { (seen, fits) = (0, true) }

  /// Whether the record conforms whose values have been taken.
  var conforms: Bool { fits && seen & required == required }

  /// Takes a value of the record.
  mutating func take(_ value: TapeEntry, by rule: Int16, _ tape: borrowing RecordTape) {
    let rule = rules[Int(rule)]
    // Of a repeated key one value would be lost.
    if seen & rule.bit != 0 { fits = false }
    seen |= rule.bit
    if fits { fits = Self.fits(value, rule.form, tape) }
  }

  private static func fits(
    _ value: TapeEntry, _ form: Form, _ tape: borrowing RecordTape
  ) -> Bool {
    switch form {
    case .group: return value.kind == .object
    case .element: return value.kind == .string
    case .field(let kind, let isRequired):
      if value.kind == .null { return !isRequired }
      switch kind {
      case .json: return true
      case .text: return value.kind == .string
      case .textList: return value.kind == .array
      case .url:
        // An optional URL may be any text.
        guard value.kind == .string, isRequired else { return value.kind == .string }
        return withText(of: value, tape) { URLText.isReadable($0) }
      case .uuid, .date, .integer, .number, .boolean:
        return withText(of: value, tape) { FixedValue(kind, value.kind, $0) != nil }
      }
    }
  }

  private static func withText(
    of value: TapeEntry, _ tape: borrowing RecordTape, _ body: (borrowing RawSpan) -> Bool
  ) -> Bool {
    let text = tape.bytes(of: value)
    guard value.kind == .string, value.isEscaped else { return body(text) }
    let decoded = JSONCursor.Text(0..<text.byteCount, isEscaped: true).decoded(in: text)
    return body(decoded.span.bytes)
  }
}
