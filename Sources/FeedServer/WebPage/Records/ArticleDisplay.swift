import FeedFeature
import FeedPresentation
import FeedRecord
import FeedSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// News as stories, by the presenters of the news app.
struct ArticleDisplay: RecordDisplay {
  private let list: FeedArticlesPresenter
  private let details: ArticleDetailsPresenter
  private let text: FeedText

  init(_ reader: PageReader) {
    text = reader.text
    list = FeedArticlesPresenter(
      text: reader.text, calendar: reader.calendar, currentDate: { reader.now })
    details = ArticleDetailsPresenter(text: reader.text, calendar: reader.calendar)
  }

  var style: ListStyle { .stories }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let article = try Article(record)
    let shown = list.map([article])
    return ListItem(
      key: article.url.absoluteString, title: article.title,
      notes: shown.map { "\($0.source) · \($0.date)" },
      // Next to the headline it adds no information.
      picture: article.urlToImage.flatMap { PictureView($0, alternative: "") })
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let shown = details.map(try Article(record))
    let lines = [shown.description, shown.content].compactMap(\.self).flatMap { text in
      text.split(whereSeparator: \.isNewline).map(String.init)
    }
    return RecordDetail(
      title: shown.title,
      notes: [
        [shown.source, shown.author].compactMap(\.self).joined(separator: " · "), shown.date,
      ],
      picture: shown.image.flatMap {
        PictureView($0, alternative: text.imageAlternative(shown.title))
      },
      paragraphs: lines, action: LinkView(shown.link))
  }
}
