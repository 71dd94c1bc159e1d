/// The header fields of a request or a response, in their order (RFC 9110, section 5).
public struct FeedHTTPFields: Sendable, Hashable {
  /// One field line.
  public struct Field: Sendable, Hashable {
    /// The name as written; names are compared without case.
    public var name: String
    /// The value, without white space around it.
    public var value: String

    /// Makes a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All field lines.
  public private(set) var all: [Field] = []

  /// No fields.
  public init() {}

  /// The value of the first field of a name. Setting it replaces all fields of that name; nil
  /// removes them.
  public subscript(name: String) -> String? {
    get { all.first { Self.isEqual($0.name, name) }?.value }
    set {
      all.removeAll { Self.isEqual($0.name, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// Appends a field line.
  public mutating func add(_ name: String, _ value: String) {
    all.append(Field(name: name, value: value))
  }

  /// The elements of a list field, from all its lines (RFC 9110, section 5.6.1). No element may
  /// contain a comma.
  func list(_ name: String) -> [String] {
    all.filter { Self.isEqual($0.name, name) }
      .flatMap { $0.value.split(separator: ",") }
      .map { String($0.trimmingSpaces) }
      .filter { !$0.isEmpty }
  }

  private static func isEqual(_ name: String, _ other: String) -> Bool {
    name.lowercased() == other.lowercased()
  }
}

extension FeedHTTPFields: ExpressibleByDictionaryLiteral {
  /// Fields in the order of the literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    all = elements.map { Field(name: $0, value: $1) }
  }
}

extension StringProtocol {
  /// Without leading and trailing spaces and tabs, which have no meaning in a field (RFC 9110,
  /// section 5.5).
  var trimmingSpaces: SubSequence {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return start.prefix(0) }
    return start[...last]
  }
}
