import FeedFeature
import FeedPresentation
import Foundation
import Testing

@Suite("Dates")
struct DateTests {
  @Test(
    "the age of a comment is written in the language",
    arguments: [
      (Language.english, "5 minutes ago", "1 day ago"),
      (.greek, "πριν από 5 λεπτά", "πριν από 1 ημέρα"),
      (.brazilianPortuguese, "há 5 minutos", "há 1 dia"),
      (.russian, "5 минут назад", "1 день назад"),
      (.hindi, "5 मिनट पहले", "1 दिन पहले"),
    ])
  func relative(language: Language, minutes: String, day: String) {
    let presenter = ImageCommentsPresenter(
      text: FeedText(language: language), calendar: gregorian(), currentDate: { now })
    let comments = presenter.map([
      Samples.comment("first", at: now - 300), Samples.comment("second", at: now - 86400),
    ])
    #expect(comments.comments.map(\.date) == [minutes, day])
  }

  @Test("the locale may differ from that of the language")
  func locale() {
    let presenter = ImageCommentsPresenter(
      text: english, calendar: gregorian(), locale: Locale(identifier: "en_US_POSIX"),
      currentDate: { now })
    let comments = presenter.map([Samples.comment("first", at: now - 300)])
    #expect(comments.comments.map(\.date) == ["5 minutes ago"])
  }

  @Test(
    "an age has the largest whole unit, and is never rounded up",
    arguments: [
      (59, "59 seconds ago"), (119, "1 minute ago"), (3_599, "59 minutes ago"),
      (86_399, "23 hours ago"), (590_400, "6 days ago"), (1_123_200, "1 week ago"),
      (2_505_600, "4 weeks ago"), (31_536_000, "11 months ago"), (60_480_000, "1 year ago"),
      (-119, "in 1 minute"), (-590_400, "in 6 days"),
    ] as [(Double, String)])
  func whole(_ age: Double, _ text: String) {
    let presenter = ImageCommentsPresenter(
      text: english, calendar: gregorian(), currentDate: { now })
    let comments = presenter.map([Samples.comment("first", at: now - age)])
    #expect(comments.comments.map(\.date) == [text])
  }

  @Test("a timestamp after the present is written as a future date")
  func future() {
    let presenter = ImageCommentsPresenter(
      text: english, calendar: gregorian(), currentDate: { now })
    let comments = presenter.map([Samples.comment("first", at: now + 300)])
    #expect(comments.comments.map(\.date) == ["in 5 minutes"])
  }

  @Test(
    "the most distant dates are written, too", arguments: [Date.distantPast, .distantFuture])
  func extremes(date: Date) {
    let calendar = gregorian()
    let comments = ImageCommentsPresenter(
      text: english, calendar: calendar, currentDate: { now }
    ).map([Samples.comment("first", at: date)])
    let list = FeedArticlesPresenter(text: english, calendar: calendar, currentDate: { now })
      .map([Samples.article(publishedAt: date)])
    let details = ArticleDetailsPresenter(text: english, calendar: calendar)
      .map(Samples.article(publishedAt: date))
    for text in comments.comments.map(\.date) + list.map(\.date) + [details.date] {
      #expect(!text.isEmpty)
    }
  }

  @Test(
    "an article of another day has its day in the list",
    arguments: [
      (Language.english, "Today", "Tue, 19 May"), (.greek, "Σήμερα", "Τρί, 19 Μαΐ"),
      (.brazilianPortuguese, "Hoje", "ter., 19 mai."), (.russian, "Сегодня", "Вт, 19 мая"),
      (.hindi, "आज", "मंगल, 19 मई"),
    ])
  func day(language: Language, today: String, yesterday: String) {
    let presenter = FeedArticlesPresenter(
      text: FeedText(language: language), calendar: gregorian(), currentDate: { now })
    let articles = presenter.map([
      Samples.article(publishedAt: now), Samples.article(publishedAt: now - 86400),
    ])
    #expect(articles.map(\.date) == [today, yesterday])
  }

  @Test(
    "an article of another year has its year too",
    arguments: [
      (Language.english, "Mon, 20 May 2019"), (.greek, "Δευ, 20 Μαΐ 2019"),
      (.brazilianPortuguese, "seg., 20 mai. 2019"), (.russian, "Пн, 20 мая 2019"),
      (.hindi, "सोम, 20 मई 2019"),
    ])
  func year(language: Language, day: String) {
    let presenter = FeedArticlesPresenter(
      text: FeedText(language: language), calendar: gregorian(), currentDate: { now })
    let articles = presenter.map([Samples.article(publishedAt: now - 366 * 86400)])
    #expect(articles.map(\.date) == [day])
  }

  @Test("a day has two digits")
  func twoDigits() {
    let presenter = FeedArticlesPresenter(
      text: english, calendar: gregorian(), currentDate: { now })
    let articles = presenter.map([Samples.article(publishedAt: now - 12 * 86400)])
    #expect(articles.map(\.date) == ["Fri, 08 May"])
  }

  @Test("the calendar's time zone determines the day")
  func timeZone() throws {
    let tokyo = try #require(TimeZone(secondsFromGMT: 9 * 3600))
    let lateYesterdayInTokyo = now - 4 * 3600
    let article = Samples.article(publishedAt: lateYesterdayInTokyo)
    let inUTC = FeedArticlesPresenter(text: english, calendar: gregorian(), currentDate: { now })
    let inTokyo = FeedArticlesPresenter(
      text: english, calendar: gregorian(tokyo), currentDate: { now })
    #expect(inUTC.map([article]).map(\.date) == ["Today"])
    #expect(inTokyo.map([article]).map(\.date) == ["Wed, 20 May"])
  }

  @Test(
    "the details of an article have date and time",
    arguments: [
      (Language.english, "May 20, 2020 at 6:40 PM"), (.greek, "20 Μαΐ 2020, 6:40 μμ"),
      (.brazilianPortuguese, "20 de mai. de 2020, 18:40"), (.russian, "20 мая 2020 г., 18:40"),
      (.hindi, "20 मई 2020, अ 6:40"),
    ])
  func dateAndTime(language: Language, text: String) {
    let presenter = ArticleDetailsPresenter(
      text: FeedText(language: language), calendar: gregorian())
    let date = presenter.map(Samples.article(publishedAt: now)).date
    // Languages put spaces of several widths before the half of the day.
    #expect(String(date.map { $0.isWhitespace ? " " : $0 }) == text)
  }
}
