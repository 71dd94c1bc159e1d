/// Collects the values of a record that the harness selects: `name`, the elements of `tags` or a
/// scalar instead, and the `id` of the object `by`.
struct SelectedValues {
  private enum Key {
    case name, tags, author, other
  }

  /// False if the record is an array, which has no keys.
  let isObject: Bool
  /// The selected values by field; the last one of a repeated key counts.
  private var values: [[(kind: ScalarKind, text: ArraySlice<UInt8>)]] = [[], [], []]
  /// The number of elements of the longest `tags`.
  private(set) var longestList = 0
  private var key = Key.other
  private var isAuthorID = false
  /// True if the container last opened as the value of a key is an array, false for an object.
  private var isArray: Bool?
  private var elementCount = 0

  init(isObject: Bool) { self.isObject = isObject }

  /// The digest of all values.
  var digest: Digest {
    var digest = Digest()
    for field in [SelectedField.name, .tags, .authorID] {
      for value in values[Int(field.rawValue)] { digest.add(field, value.kind, value.text) }
    }
    return digest
  }

  /// Adds a token after which `depth` brackets are open, including the record's own.
  mutating func take(_ token: StrictScanner.Token, _ scanner: StrictScanner, depth: Int) {
    guard isObject else { return }
    switch token {
    case .key where depth == 1: begin(Self.key(scanner.text))
    case .key where depth == 2:
      isAuthorID = scanner.text.elementsEqual("id".utf8)
      if isAuthorID, key == .author { values[Int(SelectedField.authorID.rawValue)] = [] }
    case .beginObject where depth == 2: isArray = false
    case .beginArray where depth == 2:
      isArray = true
      elementCount = 0
    case .beginObject where depth == 3, .beginArray where depth == 3: countElement()
    case .null: takeScalar(.null, [], depth)
    case .true: takeScalar(.true, [], depth)
    case .false: takeScalar(.false, [], depth)
    case .number: takeScalar(.number, scanner.bytes[scanner.token], depth)
    case .string: takeScalar(.string, scanner.text[...], depth)
    default: break
    }
  }

  private mutating func begin(_ key: Key) {
    self.key = key
    switch key {
    case .name: values[Int(SelectedField.name.rawValue)] = []
    case .tags: values[Int(SelectedField.tags.rawValue)] = []
    case .author: values[Int(SelectedField.authorID.rawValue)] = []
    case .other: break
    }
  }

  private mutating func add(_ field: SelectedField, _ kind: ScalarKind, _ text: ArraySlice<UInt8>) {
    values[Int(field.rawValue)].append((kind, text))
  }

  private static func key(_ text: [UInt8]) -> Key {
    if text.elementsEqual("name".utf8) { return .name }
    if text.elementsEqual("tags".utf8) { return .tags }
    return text.elementsEqual("by".utf8) ? .author : .other
  }

  private mutating func takeScalar(_ kind: ScalarKind, _ text: ArraySlice<UInt8>, _ depth: Int) {
    switch (depth, key) {
    case (1, .name): add(.name, kind, text)
    case (1, .tags): add(.tags, kind, text)
    case (2, .tags) where isArray == true:
      countElement()
      add(.tags, kind, text)
    case (2, .author) where isArray == false && isAuthorID: add(.authorID, kind, text)
    default: break
    }
  }

  private mutating func countElement() {
    guard key == .tags, isArray == true else { return }
    elementCount += 1
    longestList = max(longestList, elementCount)
  }
}
