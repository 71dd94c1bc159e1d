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

extension FeedHTTPFields.Field {
  private static let nameMarks = Set("!#$%&'*+-.^_`|~".utf8)

  /// Parses a field line of a message, without its line end (RFC 9112, section 5).
  ///
  /// Nil for an invalid line: a name is a token (RFC 9110, section 5.6.2) directly before the
  /// colon, and a value has no control characters except tabs (section 5.5).
  package init?(line: some StringProtocol) {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
    let (name, value) = (line[..<colon], line[line.index(after: colon)...])
    let isName = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || Self.nameMarks.contains(byte)
    }
    let isValue = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    guard isName, isValue else { return nil }
    self.init(name: String(name), value: String(value.trimmingSpaces))
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
