import FeedFeature
import FeedPresentation
import FeedRecord
import FeedSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Comments as a feed of their own, by the presenter of the image feed.
struct CommentDisplay: RecordDisplay {
  private let presenter: ImageCommentsPresenter

  init(_ reader: PageReader) {
    presenter = ImageCommentsPresenter(
      text: reader.text, calendar: reader.calendar, currentDate: { reader.now })
  }

  var style: ListStyle { .rows }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let comment = try ImageComment(record)
    let shown = presenter.map([comment]).comments
    return ListItem(
      key: comment.id.uuidString, title: comment.username,
      notes: shown.flatMap { [$0.message, $0.date] })
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let comment = try ImageComment(record)
    let shown = presenter.map([comment]).comments
    return RecordDetail(
      title: comment.username, notes: shown.map(\.date), paragraphs: shown.map(\.message))
  }
}
