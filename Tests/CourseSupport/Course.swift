/// One requirement of a document: a scenario of a story, or a course of a use case.
public struct Course: Hashable, Sendable {
  /// What sort of thing it is.
  public enum Kind: String, Sendable {
    /// A Given/When/Then of a story.
    case scenario
    /// A happy path.
    case primary
    /// A sad path.
    case sad
    /// The course of cancelled work.
    case cancel
  }

  /// The document that contains it.
  public let document: Document
  /// The heading of the use case, or the story and its narrative.
  public let section: String
  /// The heading of the course without its brackets; for a scenario, its givens in short.
  public let name: String
  /// What sort of thing it is.
  public let kind: Kind

  init(_ document: Document, _ section: String, _ name: String, _ kind: Kind) {
    self.document = document
    self.section = section
    self.name = name
    self.kind = kind
  }
}

extension Course: CustomStringConvertible {
  public var description: String { "\(document.title), \(section), \(name)" }
}
