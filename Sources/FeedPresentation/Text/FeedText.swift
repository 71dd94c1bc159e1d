/// The texts of the presentation in one language, which is chosen here and not by the process.
///
/// The tables of texts are part of the program, and are read once. Should one be damaged, the
/// language is English in place of its own, so that dates and texts are of one language.
///
/// ```swift
/// let text = FeedText(preferring: ["el-GR", "en"])
/// text[.commentsTitle]  // Σχόλια
/// ```
public struct FeedText: Sendable {
  /// The language that the texts are in.
  public let language: Language

  private let texts: [String: String]

  /// The texts in a language.
  public init(language: Language) {
    self.init(language: language, texts: TextTable.texts(in: language))
  }

  /// The texts in the best language for somebody who wants these, the most wanted first; see
  /// ``Language/init(preferring:)``.
  public init(preferring wanted: some Sequence<String>) {
    self.init(language: Language(preferring: wanted))
  }

  /// The texts of a language's table; those that it lacks are English, and so is the language if it
  /// lacks all.
  package init(language: Language, texts: [String: String]) {
    self.language = texts.isEmpty ? .english : language
    self.texts = texts
  }

  /// The text of a key.
  public subscript(key: Key) -> String { texts[key.rawValue] ?? key.english }

  /// The text of a key with a value in its place.
  func format(_ key: Key, _ value: String) -> String {
    self[key].replacing(Self.placeholder, with: value)
  }

  /// What stands in a text for a value.
  package static let placeholder = "%@"
}
