import Foundation

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
