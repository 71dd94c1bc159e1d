import FeedPayloads
import FeedPresentation
import FeedRecord

/// How the records of one kind are shown: as an item of their list, and each by itself.
protocol RecordDisplay: Sendable {
  /// How their list and their details are laid out.
  var style: ListStyle { get }

  /// What is shown of a record in the list.
  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem

  /// What is shown of a record by itself.
  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail
}

/// The looks of a list; the names are those of the stylesheet.
enum ListStyle: String, Sendable {
  /// Lines of text.
  case rows
  /// Lines of text, each with a picture beside it.
  case stories
  /// Pictures with words below them.
  case cards
  /// Small square pictures with words below them.
  case portraits
}

/// What is shown of a record in a list.
struct ListItem: Sendable, Hashable {
  /// What its details are asked for by.
  var key: String
  var title: String
  /// Further lines, the most telling first.
  var notes: [String] = []
  var picture: PictureView?
}

/// What is shown of a record by itself.
struct RecordDetail: Sendable, Hashable {
  var title: String
  /// Lines below the title.
  var notes: [String] = []
  var picture: PictureView?
  var paragraphs: [String] = []
  var fields: [FieldView] = []
  /// Where the thing itself is, of which the record tells.
  var action: LinkView?
}

extension PayloadSchema {
  /// How records of this contract are shown to somebody.
  func display(for reader: PageReader) -> any RecordDisplay {
    switch self {
    case .universities: UniversityDisplay(reader)
    case .feed: ImageDisplay(reader)
    case .comments: CommentDisplay(reader)
    case .characters: CharacterDisplay(reader)
    case .news: ArticleDisplay(reader)
    default: SchemaDisplay(self, reader)
    }
  }
}
