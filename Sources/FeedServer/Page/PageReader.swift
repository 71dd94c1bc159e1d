import FeedPresentation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A reader of the page: the language and the current time.
struct PageReader: Sendable {
  let text: FeedText
  let calendar: Calendar
  let now: Date

  init(_ language: Language, calendar: Calendar = .current, now: Date) {
    text = FeedText(language: language)
    self.calendar = calendar
    self.now = now
  }

  /// The presenter of feeds.
  var feeds: FeedsPresenter {
    FeedsPresenter(text: text, calendar: calendar, currentDate: { [now] in now })
  }
}
