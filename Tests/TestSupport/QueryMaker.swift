/// Makes random documents, and random queries of them, from a seed.
package struct QueryMaker: Sendable {
  private static let keys = [
    "a", "b", "tags", "name", "odd key", "x.y", "n", "in", "", "a~b", "a/b", "é", "0",
  ]
  private static let strings = [
    "", "1", "1.0", "Brazil", "BRAZIL", "brazil", "é", "e\u{301}", "É", "straße", "a,b", "a\"b",
    "a\\b", "null", "true", "x\ny", "\u{1F600}", "zz", "\u{FFFD}", "ΣΑΣ", "ΣΑς", "İ",
    "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "2023-12-31T23:59:59.5Z",
    "2024-01-01T00:00:00.0Z", "2024-01-01", "PushEvent", "a longer text with Brazil inside",
    "= 1", "~", " in ", "'90s", "\u{0}",
  ]
  private static let numbers = [
    "0", "-0", "-0.0", "1", "1.0", "1e0", "10e-1", "-1", "2", "10", "1E+1", "0.1", "1e400",
    "-1e400", "1e-400", "10e399", "9007199254740993", "9007199254740992", "9007199254740992.0",
    "123456789012345678901234567890", "0.30000000000000004", "0.3", "1e-3", "0.001",
  ]

  private var generator: SeededGenerator

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  package mutating func chance(_ count: Int, of whole: Int) -> Bool {
    Int.random(in: 0..<whole, using: &generator) < count
  }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  package mutating func number(in range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  // MARK: Documents

  /// A record. One in twenty is not an object.
  package mutating func record(_ number: Int) -> ModelValue {
    if chance(1, of: 20) { return value(1) }
    var members: [(key: String, value: ModelValue)] = []
    for _ in 0..<self.number(in: 1..<7) {
      let key = pick(Self.keys)
      // Few objects have a key twice.
      if members.contains(where: { $0.key == key }), !chance(1, of: 4) { continue }
      members.append((key, value(1)))
    }
    if chance(7, of: 8) {
      let keys = [ModelValue.number("\(number)"), .number("\(number).0"), .string("k\(number)")]
      members.insert(("id", pick(keys)), at: self.number(in: 0..<members.count + 1))
    }
    return .object(members)
  }

  private mutating func value(_ depth: Int) -> ModelValue {
    let choice = depth > 3 ? 0 : number(in: 0..<10)
    if choice < 6 { return scalar() }
    var members: [(key: String, value: ModelValue)] = []
    for _ in 0..<number(in: 0..<4) { members.append((pick(Self.keys), value(depth + 1))) }
    return choice < 8 ? .array(members.map(\.value)) : .object(members)
  }

  private mutating func scalar() -> ModelValue {
    switch number(in: 0..<10) {
    case 0..<4: .string(pick(Self.strings))
    case 4..<8: .number(pick(Self.numbers))
    default: pick([.bool(true), .bool(false), .null])
    }
  }

  /// The texts of a record: as a document has it, and without white space.
  package mutating func texts(of record: ModelValue) -> (spaced: String, compact: String) {
    let tokens = record.tokens(using: &generator)
    let spaces = pick(["", "", " ", "\t", "\n "])
    return (tokens.joined(separator: spaces), tokens.joined())
  }

  // MARK: Queries

  /// A query of records. It uses paths and values that the records have.
  ///
  /// - Parameter isOpen: whether it also uses paths that the records may lack
  package mutating func query(of known: KnownValues, isOpen: Bool) -> ModelQuery {
    var conditions: [ModelCondition] = []
    for _ in 0..<pick([0, 1, 1, 1, 2, 2, 3]) { conditions.append(condition(known, isOpen)) }
    var order: [(path: ModelPath, isReversed: Bool)] = []
    for _ in 0..<pick([0, 0, 1, 2]) {
      order.append((path(known, isOpen, hasAny: false), chance(1, of: 2)))
    }
    let limits: [Int?] = order.isEmpty ? [nil, nil, 1, 5, 1000] : [1, 5, 1000]
    return ModelQuery(
      conditions: conditions, order: order, offset: pick([0, 0, 1, 3]), limit: pick(limits),
      distinctPath: path(known, isOpen, hasAny: true))
  }

  private mutating func path(
    _ known: KnownValues, _ isOpen: Bool, hasAny: Bool
  ) -> ModelPath {
    var steps: [ModelStep] = []
    if isOpen, chance(1, of: 3) {
      steps = [.key(pick(Self.keys + ["id"]))]
      while chance(1, of: 3) {
        steps.append(pick(Self.keys.map(ModelStep.key) + [.index(0), .index(1), .any, .any]))
      }
    } else if !known.entries.isEmpty {
      steps = pick(known.entries).steps
      if steps.count > 1, chance(1, of: 5) { steps.removeLast() }
    }
    if !hasAny || steps.isEmpty { steps.replaceAny() }
    if steps.isEmpty { steps = [.key("id")] }
    return ModelPath(steps, isPointer: !steps.contains(.any) && chance(1, of: 4))
  }

  private mutating func condition(_ known: KnownValues, _ isOpen: Bool) -> ModelCondition {
    let path = path(known, isOpen, hasAny: true)
    let values = known.entries.first { $0.steps == path.steps }?.values ?? []
    let name = pick(ModelCondition.operators + ["=", "="])
    let count = name.hasSuffix("exists") ? 0 : name == "in" ? number(in: 1..<4) : 1
    return ModelCondition(
      path: path, name: name, literals: (0..<count).map { _ in literal(values) })
  }

  private mutating func literal(_ values: [ModelValue]) -> ModelLiteral {
    var text = pick(Self.strings + Self.numbers + ["true", "false", "null", "k3", "7"])
    if !values.isEmpty, chance(4, of: 5) {
      switch pick(values) {
      case .string(let string):
        text = chance(1, of: 4) ? String(string.prefix(number(in: 1..<6))) : string
      case let value: text = value.text
      }
    }
    // An unquoted text ends at a comma, has no white space at its ends, and does not begin like an
    // operator or with a quote. A condition of the C API is one line.
    let scalars = text.unicodeScalars
    let (inside, ends) = (",\"\n\r\0".unicodeScalars, " \t=!<>~'".unicodeScalars)
    let isOdd =
      scalars.isEmpty || scalars.contains { inside.contains($0) }
      || [scalars.first, scalars.last].contains { $0.map(ends.contains) ?? false }
    return ModelLiteral(string: text, isQuoted: isOdd || chance(1, of: 3))
  }
}

extension [ModelStep] {
  /// Replaces each step to any element by a step to the first element.
  fileprivate mutating func replaceAny() {
    for place in indices where self[place] == .any { self[place] = .index(0) }
  }
}

/// The paths of some records, and the scalars that they have there.
package struct KnownValues: Sendable {
  fileprivate struct Entry: Sendable {
    let steps: [ModelStep]
    var values: [ModelValue]
  }

  fileprivate private(set) var entries: [Entry] = []
  private var places: [[ModelStep]: Int] = [:]

  package init(_ records: [ModelValue]) {
    for record in records { add(record, []) }
  }

  private mutating func add(_ value: ModelValue, _ steps: [ModelStep]) {
    switch value {
    case .object(let members):
      for member in members { add(member.value, steps + [.key(member.key)]) }
    case .array(let elements):
      for (index, element) in elements.prefix(2).enumerated() {
        add(element, steps + [.index(index)])
        add(element, steps + [.any])
      }
    case .null, .bool, .number, .string:
      guard !steps.isEmpty else { return }
      if let place = places[steps] {
        entries[place].values.append(value)
      } else {
        places[steps] = entries.count
        entries.append(Entry(steps: steps, values: [value]))
      }
    }
  }
}
