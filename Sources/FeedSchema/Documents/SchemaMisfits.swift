import JSONStream

/// Values of documents that do not fit the schema file by which they were read.
package struct SchemaMisfit: Sendable, Hashable {
  /// The path of the values, as in `payload.commits[].sha`.
  package var path: String
  /// What the schema states, as in `string`.
  package var expected: String
  /// What the documents have, as in `integer`.
  package var found: String
  /// The number of such values; nil if the statistics do not have it.
  package var count: Int?
  /// The number of the first record with such a value, from 1; nil if the statistics do not have
  /// it.
  package var firstRecord: Int?
}

extension StatedSchema {
  /// The maximum number of misfits that are listed.
  private static let maximumMisfits = 256

  /// The misfits that the statistics of all values show, found without reading a value.
  ///
  /// Objects whose keys were merged, because they are data, show nothing about single keys.
  package func misfits(in statistics: DocumentStatistics) -> [SchemaMisfit] {
    var check = MisfitCheck(countsAbsent: statistics.lostValues == 0)
    // Records that are objects are not counted as values.
    let objects = max(statistics.records - statistics.root.node.valueCount, 0)
    check.compare(statistics.root, record, at: "", objects: objects)
    return Array(check.misfits.prefix(Self.maximumMisfits))
  }
}

private struct MisfitCheck {
  private(set) var misfits: [SchemaMisfit] = []
  /// Whether the values of every path were counted.
  private let countsAbsent: Bool

  init(countsAbsent: Bool) { self.countsAbsent = countsAbsent }

  private mutating func add(
    _ path: String, expected: String, found: String, count: Int? = nil, first: Int? = nil
  ) {
    misfits.append(
      SchemaMisfit(
        path: path.isEmpty ? "(record)" : path, expected: expected, found: found, count: count,
        firstRecord: first.map { $0 + 1 }))
  }

  /// - Parameter objects: the number of the values that are objects.
  mutating func compare(
    _ branch: DocumentStatistics.Branch, _ stated: StatedValue, at path: String, objects: Int
  ) {
    compareTypes(branch.node, stated, at: path, objects: objects)
    compareNumbers(branch.node, stated, at: path)
    compareTexts(branch.node, stated, at: path)
    if let elements = branch.elements.first, let inner = stated.elements.first {
      compare(elements, inner, at: path + "[]")
    }
    compareMembers(branch, stated, at: path, objects: objects)
  }

  private mutating func compare(
    _ branch: DocumentStatistics.Branch, _ stated: StatedValue, at path: String
  ) {
    compare(branch, stated, at: path, objects: branch.node.tally(.object).count)
  }

  private mutating func compareTypes(
    _ node: PathNode, _ stated: StatedValue, at path: String, objects: Int
  ) {
    guard let types = stated.types else { return }
    let expected = ValueType.allCases.filter(types.contains).map(\.name).joined(separator: " or ")
    for type in ValueType.allCases where !types.contains(type) {
      // Every integer is a number.
      if type == .integer, types.contains(.number) { continue }
      let tally = node.tally(type)
      let count = type == .object ? objects : tally.count
      guard count > 0 else { continue }
      add(
        path, expected: expected, found: type.name, count: count,
        first: tally.count > 0 ? tally.first : nil)
    }
  }

  private mutating func compareNumbers(
    _ node: PathNode, _ stated: StatedValue, at path: String
  ) {
    guard let found = node.numbers?.range else { return }
    if let minimum = stated.minimum, found.lowerBound < minimum {
      add(
        path, expected: "at least \(minimum.schemaDigits)", found: found.lowerBound.schemaDigits)
    }
    if let maximum = stated.maximum, found.upperBound > maximum {
      add(path, expected: "at most \(maximum.schemaDigits)", found: found.upperBound.schemaDigits)
    }
  }

  private mutating func compareTexts(_ node: PathNode, _ stated: StatedValue, at path: String) {
    guard let found = node.textBytes else { return }
    if let minimum = stated.minimumLength, found.lowerBound < minimum {
      add(path, expected: "at least \(minimum) bytes", found: "\(found.lowerBound)")
    }
    if let maximum = stated.maximumLength, found.upperBound > maximum {
      add(path, expected: "at most \(maximum) bytes", found: "\(found.upperBound)")
    }
    if let (name, format) = stated.format, !node.formats.contains(format) {
      add(path, expected: "the format \(name)", found: "another text")
    }
    guard let choices = stated.choices else { return }
    let expected = choices.sorted().map(JSONText.quoted).joined(separator: " or ")
    guard let values = node.values else {
      return add(path, expected: expected, found: "other texts")
    }
    let others = values.map { Self.text($0.text) }.filter { !choices.contains($0) }
    guard !others.isEmpty else { return }
    add(path, expected: expected, found: others.map(JSONText.quoted).joined(separator: ", "))
  }

  private mutating func compareMembers(
    _ branch: DocumentStatistics.Branch, _ stated: StatedValue, at path: String, objects: Int
  ) {
    guard !branch.isMap else {
      if stated.members.isEmpty, case .value(let value) = stated.others,
        let merged = branch.members.first
      {
        compare(merged.branch, value, at: PayloadSchema.pathText(path, "*"))
      }
      return
    }
    let known = Set(stated.members.map(\.key))
    for key in stated.required where countsAbsent {
      // A repeated key has several values in one record.
      let node = branch[key]?.node
      let present = path.isEmpty ? node?.records : node?.valueCount
      let absent = objects - (present ?? 0)
      guard absent > 0 else { continue }
      add(
        PayloadSchema.pathText(path, PayloadSchema.pathText([key])), expected: "a value",
        found: "none", count: absent)
    }
    for (key, value) in stated.members {
      guard let member = branch[key] else { continue }
      compare(member, value, at: PayloadSchema.pathText(path, PayloadSchema.pathText([key])))
    }
    for (key, member) in branch.members where !known.contains(key) {
      let path = PayloadSchema.pathText(path, PayloadSchema.pathText([key]))
      switch stated.others {
      case .any: break
      case .none:
        add(
          path, expected: "no such key", found: "a value", count: member.node.valueCount,
          first: member.node.firstRecord)
      case .value(let value): compare(member, value, at: path)
      }
    }
  }

  /// The text of a string as it is written in a document.
  private static func text(_ bytes: [UInt8]) -> String {
    let literal = [0x22] + bytes + [0x22]
    return (try? JSONTree(parsing: literal.span.bytes))?.string
      ?? String(decoding: bytes, as: UTF8.self)
  }
}
