import Foundation

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
  package func format(_ key: Key, _ value: String) -> String {
    self[key].replacing(Self.placeholder, with: value)
  }

  /// The placeholder of a value in a text.
  package static let placeholder = "%@"
}

/// The tables of texts. They are embedded in the program, so that it can be copied as a single
/// file.
package enum TextTable {
  /// The texts of all languages by their keys, read on first use.
  static let all = Dictionary(
    uniqueKeysWithValues: Language.allCases.map { ($0, texts(of: $0.table)) })

  /// The texts of a language.
  package static func texts(in language: Language) -> [String: String] { all[language] ?? [:] }

  /// The texts of a strings file; none if it is damaged.
  package static func texts(of file: [UInt8]) -> [String: String] {
    let table = try? PropertyListSerialization.propertyList(from: Data(file), format: nil)
    return table as? [String: String] ?? [:]
  }
}

extension Language {
  /// The strings file of the language.
  fileprivate var table: [UInt8] {
    switch self {
    case .english: PackageResources.en_strings
    case .greek: PackageResources.el_strings
    case .brazilianPortuguese: PackageResources.pt_BR_strings
    case .russian: PackageResources.ru_strings
    case .hindi: PackageResources.hi_strings
    }
  }
}
