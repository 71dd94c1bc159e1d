import FeedPresentation
import FeedStorage

// The values that templates render. Values are found by reflection, so they are stored properties.
// A name that a view lacks is looked up in the enclosing views; therefore an optional value has a
// dot before its name in the template.

/// The list of feeds.
struct HomeView: Sendable {
  let page: PageFrame
  let heading: String
  let hasFeeds: Bool
  let feeds: [FeedView]
}

/// One of the feeds.
struct FeedView: Sendable {
  let title: String
  let address: String
  let notes: [String]
}

/// A part of a feed's list.
struct ListView: Sendable {
  let page: PageFrame
  let heading: String
  let alert: AlertView?
  let address: String
  let refreshAddress: String
  let filter: String
  let style: String
  /// The titles of the columns of a table.
  let titles: [String]
  let isTable: Bool
  let notes: [String]
  let hasItems: Bool
  let items: [ItemView]
  /// The number of items in this part.
  let added: String
  /// A note that this is all, or that there is nothing.
  let outcome: String
  let further: LinkView?
  let others: [LinkView]
}

/// An item of a list.
struct ItemView: Sendable {
  let title: String
  let address: String
  let notes: [String]
  let picture: PictureView?
  /// The values in the columns after that of the title.
  let cells: [String]

  init(_ item: ListItem, of name: FeedName) {
    title = item.title
    address = PageAddress.record(name, key: item.key).text
    notes = item.notes
    picture = item.picture
    cells = item.cells
  }
}

/// The records of one key, usually only one, and the comments on an image.
struct DetailView: Sendable {
  let page: PageFrame
  let records: [RecordDetailView]
  let comments: CommentsView?
}

/// One record by itself.
struct RecordDetailView: Sendable {
  let isFirst: Bool
  let style: String
  let title: String
  let notes: [String]
  let picture: PictureView?
  let paragraphs: [String]
  let fields: [FieldView]
  let hasFields: Bool
  let action: LinkView?
  let tree: [DocumentTree.Part]
  let isTree: Bool

  init(_ detail: RecordDetail, style: ListStyle, isFirst: Bool) {
    self.isFirst = isFirst
    self.style = style.rawValue
    title = detail.title
    notes = detail.notes
    picture = detail.picture
    paragraphs = detail.paragraphs
    fields = detail.fields
    hasFields = !detail.fields.isEmpty
    action = detail.action
    tree = detail.tree
    isTree = !detail.tree.isEmpty
  }
}

/// The comments on an image, or why there are none.
struct CommentsView: Sendable {
  let heading: String
  let comments: [ImageCommentViewModel]
  let failure: String?
  let empty: String?
}

/// A page that only states that there is nothing to show.
struct MessageView: Sendable {
  let page: PageFrame
  let heading: String
  let alert: AlertView?
  let further: LinkView?
}

/// What went wrong, and what that means.
struct AlertView: Sendable {
  let message: String
  let explanation: String?
}
