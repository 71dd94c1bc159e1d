import FeedFeature
import FeedPresentation
import FeedRecord
import FeedSchema

/// Universities in a list of lines, by the presenter of the list app.
struct UniversityDisplay: RecordDisplay {
  private let presenter: UniversitiesPresenter

  init(_ reader: PageReader) { presenter = UniversitiesPresenter(text: reader.text) }

  var style: ListStyle { .rows }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let university = try University(record)
    let shown = presenter.map([university])
    return ListItem(
      key: university.name, title: university.name,
      notes: shown.map { [$0.country, $0.state].compactMap(\.self).joined(separator: " · ") })
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let shown = presenter.mapDetail(try University(record))
    var fields = shown.fields.map(FieldView.init)
    if !shown.links.isEmpty {
      fields.append(FieldView(label: shown.linksTitle, values: shown.links.map(LinkView.init)))
    }
    return RecordDetail(title: shown.name, fields: fields)
  }
}
