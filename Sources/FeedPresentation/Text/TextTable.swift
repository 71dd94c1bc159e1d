package import Foundation

/// The tables of texts among the module's resources.
package enum TextTable {
  /// The texts of all languages by their keys, read when they are first wanted.
  static let all: [Language: [String: String]] = {
    guard let resources = TextResources.directory else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: Language.allCases.map { ($0, texts(in: $0, of: resources)) })
  }()

  /// The texts of a language; none where its table is missing or cannot be read.
  package static func texts(in language: Language, of directory: URL) -> [String: String] {
    // Package builds write the names of these folders in lower case, Xcode as they are.
    let folders = [language.rawValue, language.rawValue.lowercased()]
    for folder in folders {
      let file = directory.appending(path: "\(folder).lproj/Localizable.strings")
      if let data = try? Data(contentsOf: file),
        let table = try? PropertyListSerialization.propertyList(from: data, format: nil),
        let texts = table as? [String: String]
      {
        return texts
      }
    }
    return [:]
  }
}
