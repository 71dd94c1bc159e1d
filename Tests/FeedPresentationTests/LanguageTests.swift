import FeedPresentation
import Testing

@Suite("Languages")
struct LanguageTests {
  @Test(
    "the first wanted language with texts is selected",
    arguments: [
      (["el"], Language.greek), (["EL-gr"], .greek), (["de", "hi-IN", "en"], .hindi),
      (["pt-BR"], .brazilianPortuguese), (["pt"], .brazilianPortuguese),
      (["pt-PT", "en"], .brazilianPortuguese), (["ru_RU.UTF-8"], .russian), (["hi@latin"], .hindi),
      (["en-GB", "el"], .english),
    ])
  func found(wanted: [String], language: Language) {
    #expect(Language(preferring: wanted) == language)
    #expect(FeedText(preferring: wanted).language == language)
  }

  @Test(
    "English is selected if no wanted language has texts",
    arguments: [[], ["de", "fr"], ["C"], ["*"], [""], ["-", "_"], ["elx"], ["e"], ["\u{0}ru"]])
  func english(wanted: [String]) {
    #expect(Language(preferring: wanted) == .english)
  }
}
