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
  let apiTitle: String
}

/// One of the feeds.
struct FeedView: Sendable {
  let title: String
  let address: String
  let notes: [String]
  /// Its first record, in a line.
  var preview: String?
  /// The feed in formats for programs.
  var links: [FormatView] = []
  var hasLinks: Bool = false
}

/// A feed in a format for programs.
struct FormatView: Sendable {
  let title: String
  /// For a screen reader, with the title of the feed.
  let label: String
  let type: String
  let address: String
}

/// A part of a feed's list.
struct ListView: Sendable {
  let page: PageFrame
  let heading: String
  let alert: AlertView?
  let address: String
  let refreshAddress: String
  let filter: String
  /// The other parameters, which the filter keeps.
  let kept: [ParameterView]
  let condition: ConditionFormView?
  let chips: [ChipView]
  let hasChips: Bool
  let facets: [FacetView]
  let hasFacets: Bool
  let style: String
  /// The columns of a table.
  let columns: [ColumnView]
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
  let pager: PagerView?
}

/// An item of a list.
struct ItemView: Sendable {
  let title: String
  let address: String
  let notes: [String]
  let picture: PictureView?
  /// The values in the columns after that of the title.
  let cells: [CellView]

  init(_ item: ListItem, of name: FeedName, in columns: [ListColumn]) {
    title = item.title
    address = PageAddress.record(name, key: item.key).text
    notes = item.notes
    picture = item.picture
    cells = zip(item.cells, columns.dropFirst()).map { CellView(text: $0, isNumber: $1.isNumber) }
  }
}

/// A value in a table.
struct CellView: Sendable {
  let text: String
  let isNumber: Bool
}

/// The records of one key, usually only one, and the comments on an image.
struct DetailView: Sendable {
  let page: PageFrame
  let records: [RecordDetailView]
  let comments: CommentsView?
  let actions: RecordActionsView?
}

/// What can be done with the JSON of a record.
struct RecordActionsView: Sendable {
  let json: String
  let jsonTitle: String
  let permalink: String
  let permalinkTitle: String
  let copyTitle: String
  let copiedTitle: String
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
