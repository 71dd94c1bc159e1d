import FeedPresentation
import Foundation
import Testing

@Suite("Texts")
struct TextTableTests {
  private let keys = Set(FeedText.Key.allCases.map(\.rawValue))

  @Test(
    "every key is in the table of every language, and nothing else", arguments: Language.allCases)
  func keys(language: Language) {
    #expect(Set(TextTable.texts(in: language).keys) == keys)
  }

  @Test("no text is empty or the same as its key", arguments: Language.allCases)
  func texts(language: Language) {
    for (key, text) in TextTable.texts(in: language) {
      #expect(!text.trimmingCharacters(in: .whitespaces).isEmpty)
      #expect(text != key)
    }
  }

  @Test("a text has as many values as the English one", arguments: Language.allCases)
  func placeholders(language: Language) throws {
    let table = TextTable.texts(in: language)
    for key in FeedText.Key.allCases {
      let text = try #require(table[key.rawValue])
      #expect(values(in: text) == values(in: key.english), "\(language) \(key)")
      #expect(values(in: text) == text.count { $0 == "%" }, "\(language) \(key)")
    }
  }

  private func values(in text: String) -> Int {
    text.ranges(of: FeedText.placeholder).count
  }

  @Test("every text is translated", arguments: Language.allCases)
  func translated(language: Language) {
    let table = TextTable.texts(in: language)
    for key in FeedText.Key.allCases {
      #expect((table[key.rawValue] == key.english) == (language == .english), "\(language) \(key)")
    }
  }

  @Test("a language shows its own table", arguments: Language.allCases)
  func shown(language: Language) {
    let table = TextTable.texts(in: language)
    let text = FeedText(language: language)
    for key in FeedText.Key.allCases { #expect(text[key] == table[key.rawValue]) }
  }

  @Test("titles are those of the apps")
  func titles() {
    let titles = Language.allCases.map { FeedText(language: $0)[.feedTitle] }
    #expect(titles == ["My Feed", "Το Feed μου", "Meu Feed", "Моя лента", "मेरी फ़ीड"])
  }

  @Test(
    "with a damaged table the language is English, whatever the choice",
    arguments: ["", "\"feed.title\" = ;", "(a, b)", "{ a = (b); }", "\u{0}"], Language.allCases)
  func damaged(content: String, language: Language) {
    let texts = TextTable.texts(of: Array(content.utf8))
    #expect(texts == [:])
    let text = FeedText(language: language, texts: texts)
    #expect(text.language == .english)
    for key in FeedText.Key.allCases { #expect(text[key] == key.english) }
  }

  @Test("a text that is missing in a table is English")
  func incomplete() {
    let text = FeedText(language: .greek, texts: ["feed.title": "Το Feed μου"])
    #expect(text.language == .greek)
    #expect(text[.feedTitle] == "Το Feed μου")
    #expect(text[.today] == "Today")
  }
}
