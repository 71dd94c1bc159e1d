import FeedCore
import FeedSchema
import JSONStream

/// The paths of the values that the records of a feed have.
enum FieldPaths {
  /// All of them, as its schema lists them, except for those that a shell would have to quote.
  static func all(of feed: Feed) -> [String] {
    guard feed.schema.document != nil else {
      return feed.schema.fields.map(\.pathText).filter { $0.allSatisfy(isPlain) }
    }
    guard let statistics = statistics(of: feed.description) else { return [] }
    var paths: [String] = []
    add(statistics.root, at: "", to: &paths)
    return paths
  }

  /// The statistics in the stored schema of documents; nil for records of a contract.
  static func statistics(of feed: FeedDescription) -> DocumentStatistics? {
    feed.schema?.document == nil ? nil : DocumentStatistics(schemaText: feed.schemaText)
  }

  /// Whether the character has no special meaning to any shell in a candidate.
  static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_-.[]/@+".contains(character)
  }

  private static func add(
    _ branch: DocumentStatistics.Branch, at path: String, to paths: inout [String]
  ) {
    if let elements = branch.elements.first {
      paths.append(path + "[]")
      add(elements, at: path + "[]", to: &paths)
    }
    // The keys of a map are data.
    guard !branch.isMap else { return }
    for (key, member) in branch.members {
      let isPlainKey = key.allSatisfy { isPlain($0) && !"./[]".contains($0) }
      guard isPlainKey, !key.isEmpty else { continue }
      let place = PayloadSchema.pathText(path, key)
      paths.append(place)
      add(member, at: place, to: &paths)
    }
  }
}

/// A key of a path that no record of a feed has, with the key that may have been meant.
struct AbsentKey {
  /// `no record has typ; did you mean type?`
  let text: String

  /// The first such key in any of the paths; nil if there is none, or if the schema does not list
  /// all paths.
  init?(in paths: [JSONPath], of feed: FeedDescription) {
    guard let statistics = FieldPaths.statistics(of: feed), statistics.listsAllPaths
    else { return nil }
    for path in paths {
      if let text = Self.absence(in: path, below: statistics.root) {
        self.text = text
        return
      }
    }
    return nil
  }

  /// Prints it as a warning on standard error, in addition to the output.
  func warn() { StandardStreams.complain("warning: \(text)") }

  private static func absence(
    in path: JSONPath, below root: DocumentStatistics.Branch
  ) -> String? {
    var branch = root
    var place = ""
    for step in path.steps {
      switch step {
      case .element, .anyElement:
        guard let elements = branch.elements.first else { return nil }
        (branch, place) = (elements, place + "[]")
      case .member(let bytes), .token(let bytes, _):
        guard branch.elements.isEmpty, !branch.isMap, !branch.members.isEmpty else { return nil }
        let key = String(decoding: bytes, as: UTF8.self)
        let text = { PayloadSchema.pathText(place, PayloadSchema.pathText([$0])) }
        // A field is listed even if no record has it.
        guard let member = branch[key], member.node.valueCount > 0 else {
          let present = branch.members.filter { $0.branch.node.valueCount > 0 }
          let nearest = Suggestion.nearest(to: key, among: present.map(\.key))
          return "no record has \(text(key))"
            + (nearest.map { "; did you mean \(text($0))?" } ?? "")
        }
        (branch, place) = (member, text(key))
      }
    }
    return nil
  }
}
