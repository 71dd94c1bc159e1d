/// The texts of the presentation in one language, chosen here and not by the process.
///
/// The tables of texts are part of the program and are read once. If a table is damaged, the
/// language becomes English, so that dates and texts use the same language.
///
/// ```swift
/// let text = FeedText(preferring: ["el-GR", "en"])
/// text[.commentsTitle]  // Σχόλια
/// ```
public struct FeedText: Sendable {
  /// The language of the texts.
  public let language: Language

  private let texts: [String: String]

  /// The texts in a language.
  public init(language: Language) {
    self.init(language: language, texts: TextTable.texts(in: language))
  }

  /// The texts in the best match for the wanted languages, in order of preference; see
  /// ``Language/init(preferring:)``.
  public init(preferring wanted: some Sequence<String>) {
    self.init(language: Language(preferring: wanted))
  }

  /// The texts of a language's table. Missing ones are English, and so is the language if the table
  /// is empty.
  package init(language: Language, texts: [String: String]) {
    self.language = texts.isEmpty ? .english : language
    self.texts = texts
  }

  /// The text of a key.
  public subscript(key: Key) -> String { texts[key.rawValue] ?? key.english }

  /// The text of a key with a value inserted.
  func format(_ key: Key, _ value: String) -> String {
    self[key].replacing(Self.placeholder, with: value)
  }

  /// The placeholder of a value in a text.
  package static let placeholder = "%@"
}
