import FeedPresentation
import FeedRecord
import FeedSchema

/// How the records of one kind are shown: as list items and individually.
protocol RecordDisplay: Sendable {
  /// The layout of the list and the details.
  var style: ListStyle { get }

  /// A record as a list item.
  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem

  /// The details of a record.
  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail

  /// The columns of a list that is a table; empty for another list.
  var columns: [ListColumn] { get }
}

extension RecordDisplay {
  var columns: [ListColumn] { [] }
}

/// A column of a list that is a table.
struct ListColumn: Sendable, Hashable {
  let title: String
  /// The path to sort by; nil if records cannot be sorted by the column.
  let path: String?
  let isNumber: Bool
}

/// The style of a list; the names are those of the stylesheet.
enum ListStyle: String, Sendable {
  /// Lines of text.
  case rows
  /// Lines of text, each with a picture next to it.
  case stories
  /// Pictures with words below them.
  case cards
  /// Small square pictures with words below them.
  case portraits
  /// A table with a column for each of several values.
  case sheet
}

/// A record as a list item.
struct ListItem: Sendable, Hashable {
  /// The key that identifies its details.
  var key: String
  var title: String
  /// Further lines, the most important first.
  var notes: [String] = []
  var picture: PictureView?
  /// The values in the columns of a table after that of the title.
  var cells: [String] = []
}

/// The details of a record.
struct RecordDetail: Sendable, Hashable {
  var title: String
  /// Lines below the title.
  var notes: [String] = []
  var picture: PictureView?
  var paragraphs: [String] = []
  var fields: [FieldView] = []
  /// A link to the subject of the record.
  var action: LinkView?
  /// The values of a document.
  var tree: [DocumentTree.Part] = []
}

extension PayloadSchema {
  /// The display of this contract's records for a reader.
  func display(for reader: PageReader) -> any RecordDisplay {
    switch preset {
    case .universities: UniversityDisplay(reader)
    case .feed: ImageDisplay(reader)
    case .comments: CommentDisplay(reader)
    case .characters: CharacterDisplay(reader)
    case .news: ArticleDisplay(reader)
    default: SchemaDisplay(self, reader)
    }
  }
}
