import FeedAPI
import FeedFeature
import FeedPresentation
import FeedRecord
import FeedSchema
import URLEscaping

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
  private let base: URL?

  init(_ reader: PageReader) {
    text = reader.text
    base = reader.base
    list = FeedArticlesPresenter(
      text: reader.text, calendar: reader.calendar, currentDate: { reader.now })
    details = ArticleDetailsPresenter(text: reader.text, calendar: reader.calendar)
  }

  var style: ListStyle { .stories }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let article = try Article(record)
    let shown = list.map([article])
    return ListItem(
      key: try record.requiredText(PayloadSchema.news.keyField.id), title: article.title,
      notes: shown.map { "\($0.source) · \($0.date)" },
      // Next to the headline it adds no information.
      picture: article.urlToImage.flatMap { PictureView($0, relativeTo: base, alternative: "") })
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let shown = details.map(try Article(record).resolved(against: base))
    let lines = [shown.description, shown.content].compactMap(\.self).flatMap { text in
      text.split(whereSeparator: \.isNewline).map(String.init)
    }
    return RecordDetail(
      title: shown.title,
      notes: [
        [shown.source, shown.author].compactMap(\.self).joined(separator: " · "), shown.date,
      ],
      picture: shown.image.flatMap {
        PictureView($0, relativeTo: base, alternative: text.imageAlternative(shown.title))
      },
      paragraphs: lines, action: LinkView(shown.link))
  }
}

extension Article {
  /// The article with absolute URLs, as far as the URL of its feed is known.
  fileprivate func resolved(against base: URL?) -> Article {
    func absolute(_ url: URL) -> URL {
      URL(escaping: url.relativeString, relativeTo: base)?.absoluteURL ?? url
    }
    return Article(
      source: source, author: author, title: title, description: description, url: absolute(url),
      urlToImage: urlToImage.map(absolute), publishedAt: publishedAt, content: content)
  }
}

/// Characters as portraits, by the presenter of their app.
struct CharacterDisplay: RecordDisplay {
  private let presenter: CharactersPresenter
  private let text: FeedText
  private let base: URL?

  init(_ reader: PageReader) {
    text = reader.text
    base = reader.base
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
        character.image, relativeTo: base, alternative: text.imageAlternative(character.name)))
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let shown = presenter.mapDetail(try SeriesCharacter(record))
    return RecordDetail(
      title: shown.name,
      picture: PictureView(
        shown.image, relativeTo: base, alternative: text.imageAlternative(shown.name)),
      fields: shown.fields.map(FieldView.init))
  }
}

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

/// Images of the feed as cards, by the presenter of the image feed.
struct ImageDisplay: RecordDisplay {
  private let text: FeedText
  private let base: URL?

  init(_ reader: PageReader) {
    text = reader.text
    base = reader.base
  }

  var style: ListStyle { .cards }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let image = FeedImageViewModel(try FeedImage(record))
    return ListItem(
      key: image.id.uuidString, title: title(image), notes: words(image), picture: picture(image))
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let image = FeedImageViewModel(try FeedImage(record))
    let address = URL(escaping: image.url.relativeString, relativeTo: base) ?? image.url
    let original = WebLink(title: text[.imageOriginal], address: address.absoluteString)
    return RecordDetail(
      title: title(image), picture: picture(image), paragraphs: words(image),
      action: original.url == nil ? nil : LinkView(original))
  }

  /// The location, else the description.
  private func title(_ image: FeedImageViewModel) -> String {
    image.location ?? image.description ?? text[.imageUntitled]
  }

  private func words(_ image: FeedImageViewModel) -> [String] {
    image.hasLocation ? [image.description].compactMap(\.self) : []
  }

  private func picture(_ image: FeedImageViewModel) -> PictureView? {
    // Without a description or location, the text next to the image already says everything.
    let words = image.description ?? image.location
    return PictureView(
      image.url, relativeTo: base, alternative: words.map { text.imageAlternative($0) } ?? "")
  }
}

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
    if !shown.domains.isEmpty {
      let domains = shown.domains.map { LinkView(title: $0) }
      fields.append(FieldView(label: shown.domainsTitle, values: domains))
    }
    if !shown.links.isEmpty {
      fields.append(FieldView(label: shown.linksTitle, values: shown.links.map(LinkView.init)))
    }
    return RecordDetail(title: shown.name, fields: fields)
  }
}
