import FeedPresentation
import Foundation
import Testing

@Suite("Texts for lists of feeds")
struct FeedsPresenterTests {
  private func presenter(_ language: Language) -> FeedsPresenter {
    FeedsPresenter(
      text: FeedText(language: language), calendar: gregorian(), currentDate: { now })
  }

  @Test("a feed with the name of its kind has the app's title, any other its own name")
  func titles() {
    let english = presenter(.english)
    let kinds = ["universities", "feed", "comments", "characters", "news"]
    #expect(
      kinds.map { english.title(ofFeed: $0, kind: $0) }
        == ["Universities", "My Feed", "Comments", "Characters", "News"])
    #expect(english.title(ofFeed: "morning", kind: "news") == "morning")
    #expect(english.title(ofKind: "recipes") == "recipes")
    #expect(presenter(.greek).title(ofFeed: "news", kind: "news") == "Ειδήσεις")
  }

  @Test(
    "the number of items has the digits and groups of the language",
    arguments: [
      (Language.english, "Items: 1,234,567"), (.greek, "Στοιχεία: 1.234.567"),
      (.brazilianPortuguese, "Itens: 1.234.567"), (.russian, "Записей: 1 234 567"),
      (.hindi, "आइटम: 12,34,567"),
    ])
  func count(language: Language, text: String) {
    let shown = presenter(language).count(1_234_567)
    #expect(String(shown.map { $0.isWhitespace ? " " : $0 }) == text)
  }

  @Test(
    "the age of a feed is written in the language",
    arguments: [
      (Language.english, "Updated 5 minutes ago"), (.greek, "Ενημερώθηκε πριν από 5 λεπτά"),
      (.brazilianPortuguese, "Atualizado há 5 minutos"), (.russian, "Обновлено 5 минут назад"),
      (.hindi, "5 मिनट पहले अपडेट किया गया"),
    ])
  func age(language: Language, text: String) {
    #expect(presenter(language).updated(now - 300) == text)
  }

  @Test(
    "a feed of less than a minute is new, even if its timestamp is in the future",
    arguments: [-59.0, 0, 59])
  func new(seconds: Double) {
    #expect(presenter(.english).updated(now + seconds) == "Updated just now")
    #expect(presenter(.english).saved(now + seconds) == "Showing what was saved just now")
    #expect(presenter(.russian).saved(now + seconds) == "Показаны данные, сохранённые только что")
  }

  @Test("there are texts for a saved feed, a filter without results, and an image")
  func words() {
    #expect(presenter(.english).saved(now - 300) == "Showing what was saved 5 minutes ago")
    #expect(presenter(.english).noMatch("100 %@") == "Nothing matches “100 %@”")
    #expect(english.imageAlternative("Brighton") == "Image: Brighton")
  }
}
