import CFeedScan
@_spi(Records) import JSONStream

/// Compares records with a contract by the values that a lane counts, so that no text is read twice.
///
/// The tallies of the paths apply the rules; this type compares the texts of some values. The
/// verdict equals that of ``ContractConversion/accepts(_:)``.
struct ContractCheck {
  /// The kind of value that a path requires.
  fileprivate enum Form {
    /// An object of fields.
    case group
    /// A string in a list.
    case element
    case field(PayloadSchema.Kind, isRequired: Bool)
  }

  private struct Rule {
    let form: Form
    /// The bit of a key that must not be repeated; 0 for elements.
    let bit: UInt64
  }

  private let rules: [Rule]
  private let places: [[[UInt8]?]: Int16]
  /// The paths that have a rule.
  let paths: [[[UInt8]?]]
  /// The bits of required fields.
  let required: UInt64

  /// Nil if the contract has more keys than bits.
  init?(_ contract: PayloadSchema) {
    var rules: [Rule] = []
    var places: [[[UInt8]?]: Int16] = [:]
    var paths: [[[UInt8]?]] = []
    var bits = 0
    var required: UInt64 = 0
    func add(_ form: Form, at path: [[UInt8]?], hasBit: Bool = true) {
      guard places[path] == nil else { return }
      places[path] = Int16(truncatingIfNeeded: rules.count)
      paths.append(path)
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
    (self.rules, self.places, self.paths, self.required) = (rules, places, paths, required)
  }

  /// The rule for the values of a path; -1 if the contract does not name it.
  func rule(ofPath path: [[UInt8]?]) -> Int16 { places[path] ?? -1 }

  /// Makes a tally compare the values of its path.
  func restrict(_ tally: inout feedscan_tally, by rule: Int16) {
    guard rule >= 0 else { return }
    let rule = rules[Int(rule)]
    // A repeated key would lose one of its values.
    tally.key_bit = rule.bit
    (tally.permitted, tally.restricted) = (rule.form.permitted, rule.form.restricted)
  }

  /// Whether the text of a value with a restricted kind fits its field.
  func accepts(_ value: TapeEntry, by rule: Int16, _ tape: borrowing RecordTape) -> Bool {
    guard rule >= 0, case .field(let kind, _) = rules[Int(rule)].form else { return true }
    return Self.withText(of: value, tape) { text in
      kind == .url ? URLText.isReadable(text) : FixedValue(kind, value.kind, text) != nil
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

extension ContractCheck.Form {
  /// The bits of the kinds that a value may have.
  fileprivate var permitted: UInt16 {
    switch self {
    case .group: return Self.bits(.object)
    case .element: return Self.bits(.string)
    case .field(let kind, let isRequired):
      let null = isRequired ? 0 : Self.bits(.null)
      switch kind {
      case .text, .url: return null | Self.bits(.string)
      case .textList: return null | Self.bits(.array)
      case .json, .uuid, .date, .integer, .number, .boolean:
        return null | ~Self.bits(.null)
      }
    }
  }

  /// The bits of the kinds whose text must fit the field.
  fileprivate var restricted: UInt16 {
    guard case .field(let kind, let isRequired) = self else { return 0 }
    switch kind {
    case .text, .textList, .json: return 0
    // An optional URL may be any text.
    case .url: return isRequired ? Self.bits(.string) : 0
    case .uuid, .date, .integer, .number, .boolean: return ~Self.bits(.null)
    }
  }

  private static func bits(_ kind: TapeEntry.Kind) -> UInt16 { 1 << UInt16(kind.rawValue) }
}
