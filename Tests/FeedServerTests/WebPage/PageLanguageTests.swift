#if Server
  import FeedPresentation
  import HTTPTypes
  import Testing

  @testable import FeedServer

  @Suite("The language of the pages")
  struct PageLanguageTests {
    @Test(
      "is the most preferred language that has texts",
      arguments: [
        ("", Language.english), ("el", .greek), ("EL-gr", .greek), ("pt", .brazilianPortuguese),
        ("pt-BR,pt;q=0.9,en;q=0.8", .brazilianPortuguese), ("de, ru;q=0.5, en;q=0.4", .russian),
        ("en;q=0.4, ru;q=0.5", .russian), ("hi;q=0.9,el;q=0.9", .hindi), ("de", .english),
        ("fr-FR, en-GB;q=0.3, el;q=0.2", .english), ("*", .english), ("de, *;q=0.1", .english),
        ("en;q=0, *", .greek), ("el;q=0.1, *;q=0.5", .english),
        ("en;q=0, el;q=0, *", .brazilianPortuguese),
        ("el ; q=0.5 , hi\t;q=0.6", .hindi), ("el;q=1.000", .greek),
        ("el;level=1;q=0.5,ru;q=0.6", .russian),
      ])
    func negotiated(field: String, language: Language) {
      #expect(Language(acceptLanguage: field) == language)
    }

    @Test(
      "ignores invalid language ranges",
      arguments: [
        "el;q=2, ru", "el;q=1.001, ru", "el;q=0.1234, ru", "el;q=, ru", "el;q=x, ru", "<el>, ru",
        ", ,ru", ";q=1, ru", "el;q=0, ru", "\u{0}, ru",
      ])
    func malformed(field: String) {
      #expect(Language(acceptLanguage: field) == .russian)
    }

    @Test("depends on a bounded part of a long field")
    func long() {
      #expect(Language(acceptLanguage: String(repeating: "de,", count: 100_000) + "el") == .english)
    }

    @Test("is stated in the page and in the Content-Language field", arguments: Language.allCases)
    func page(language: Language) async throws {
      let site = try PageSite()
      try site.save((0..<30).map { Sample.university("\($0)") }, as: "universities")
      let text = FeedText(language: language)
      for path in ["/", "/page/universities", "/page/universities/record?key=1", "/page/nothing"] {
        let page = try await site.get(path, languages: "\(language.rawValue);q=0.8, de")
        #expect(page[.contentLanguage] == language.rawValue)
        #expect(page[.vary] == "Accept-Language, Accept-Encoding")
        #expect(page.html.contains("<html lang=\"\(language.rawValue)\">"))
        #expect(page.text.contains(text[.skip]))
      }
      let list = try await site.get("/page/universities", languages: language.rawValue)
      for key in [FeedText.Key.universitiesTitle, .refresh, .filter, .loadMore] {
        #expect(list.text.contains(text[key]))
      }
    }
  }
#endif
