import FeedFeature
import FeedPresentation
import FeedRecord
import FeedSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Characters as portraits, by the presenter of their app.
struct CharacterDisplay: RecordDisplay {
  private let presenter: CharactersPresenter
  private let text: FeedText

  init(_ reader: PageReader) {
    text = reader.text
    presenter = CharactersPresenter(text: reader.text)
  }

  var style: ListStyle { .portraits }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let character = try SeriesCharacter(record)
    let shown = presenter.map([character])
    return ListItem(
      key: character.name, title: character.name,
      notes: shown.map { "\($0.status) · \($0.species)" },
      picture: PictureView(
        character.image, alternative: text.imageAlternative(character.name)))
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let shown = presenter.mapDetail(try SeriesCharacter(record))
    return RecordDetail(
      title: shown.name,
      picture: PictureView(shown.image, alternative: text.imageAlternative(shown.name)),
      fields: shown.fields.map(FieldView.init))
  }
}
