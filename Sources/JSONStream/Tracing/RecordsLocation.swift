/// How an envelope parser finds the records of its document.
enum RecordsLocation {
  /// The array under one of these keys of a top-level object. Without keys, the document itself is
  /// the array.
  case keys([[UInt8]])
  /// The container that a plan names.
  case container(PlannedContainer)
}

/// The array or object whose elements or member values are the records.
struct PlannedContainer {
  /// The object keys that lead to it.
  var path: [[UInt8]]
  /// True for an array, false for an object.
  var isArray: Bool
  /// Which of several containers with this path has the records, counted from 1; nil to decide by
  /// `duplicateKeys`.
  var occurrence: Int?
  var duplicateKeys: JSONOptions.DuplicateKeys
  /// True if the input can be read again, to take the last of several containers.
  var canReadAgain: Bool

  /// Why another value with this path is an error; nil if it is not an error.
  ///
  /// - Parameters:
  ///   - pointer: its path.
  ///   - fits: true if it could be the container itself.
  func refusal(ofRepeated pointer: String, fits: Bool) -> String? {
    guard occurrence == nil else { return nil }
    switch duplicateKeys {
    case .error: return "a second value at \(pointer) (choose one with --duplicate-keys)"
    case .last where fits && !canReadAgain:
      return "a second value at \(pointer), and this input cannot be read again to take it "
        + "(take the first with --duplicate-keys first)"
    case .first, .last: return nil
    }
  }
}

/// The largest containers of a document that a parser has read, without those inside arrays.
struct SeenContainers {
  struct Entry {
    var path: [[UInt8]]
    var bytes: Int
    var isArray: Bool
    /// True for an array of objects, and for an object whose members are objects.
    var looksLikeRecords: Bool

    var pointer: String {
      path.map { "/" + String(decoding: $0, as: UTF8.self).jsonPointerEscaped }.joined()
    }
  }

  /// Containers at a greater depth are not noted.
  static let maximumDepth = 8
  private static let maximumCount = 3
  private static let maximumKey = 1024

  /// The largest first.
  private(set) var entries: [Entry] = []

  /// True if a container of this size is among the largest.
  func accepts(_ bytes: Int) -> Bool {
    entries.count < Self.maximumCount || entries[entries.count - 1].bytes < bytes
  }

  /// Adds a container, in place of those inside it. Inner ones that look like records stay, unless
  /// the outer one does too.
  mutating func add(_ entry: Entry) {
    guard entry.path.allSatisfy({ $0.count <= Self.maximumKey }) else { return }
    entries.removeAll {
      $0.path.starts(with: entry.path) && (entry.looksLikeRecords || !$0.looksLikeRecords)
    }
    let place = entries.firstIndex { $0.bytes < entry.bytes } ?? entries.count
    entries.insert(entry, at: place)
    if entries.count > Self.maximumCount { entries.removeLast() }
  }

  /// Removes a container and those inside it.
  mutating func removeAll(in path: [[UInt8]]) {
    entries.removeAll { $0.path.starts(with: path) }
  }
}

extension Trace {
  /// The limit that a token reaches first.
  enum TokenLimit {
    case number, key, string, siblings

    var path: KeyPath<JSONLimits, Int> {
      switch self {
      case .number: \.numberBytes
      case .key: \.keyBytes
      case .string: \.stringBytes
      case .siblings: \.siblingBytes
      }
    }
  }

  /// A scalar in the container of records.
  struct NonRecordElement {
    /// The end of the previous token.
    var from: Int
    var end: Int
    var index: Int
    /// The end of the token before its key, if it has one.
    var memberFrom: Int?
    /// Its path; empty if a plan makes it a record.
    var pointer: String
  }
}
