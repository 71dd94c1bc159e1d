import FeedPresentation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Somebody who reads the page: their language, and the moment.
struct PageReader: Sendable {
  let text: FeedText
  let calendar: Calendar
  let now: Date

  init(_ language: Language, calendar: Calendar = .current, now: Date) {
    text = FeedText(language: language)
    self.calendar = calendar
    self.now = now
  }

  /// How feeds as such are told of.
  var feeds: FeedsPresenter {
    FeedsPresenter(text: text, calendar: calendar, currentDate: { [now] in now })
  }
}
