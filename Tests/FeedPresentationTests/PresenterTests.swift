import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@Suite("View models")
struct PresenterTests {
  @Test("the feed has a title, and its images in their order")
  func feed() {
    let presenter = FeedPresenter(text: english)
    #expect(presenter.title == "My Feed")
    #expect(presenter.map(Samples.images).map(\.id) == Samples.images.map(\.id))
  }

  @Test("an image shows its location only if it has one")
  func image() {
    let whole = FeedImageViewModel(Samples.image(1))
    #expect(whole.description == "A pier")
    #expect(whole.location == "Brighton")
    #expect(whole.url == Samples.url("image1"))
    #expect(whole.hasLocation)

    let bare = FeedImageViewModel(Samples.image(1, description: nil, location: nil))
    #expect(bare.description == nil)
    #expect(bare.location == nil)
    #expect(!bare.hasLocation)
  }

  @Test("a comment has its message and its author")
  func comments() {
    let presenter = ImageCommentsPresenter(
      text: FeedText(language: .greek), calendar: gregorian(), currentDate: { now })
    #expect(presenter.title == "Σχόλια")
    let comments = presenter.map([
      Samples.comment("first", at: now), Samples.comment("second", at: now),
    ]).comments
    #expect(comments.map(\.message) == ["first", "second"])
    #expect(comments.map(\.username) == ["ada", "ada"])
    #expect(comments.map(\.id) == [Samples.image(1).id, Samples.image(1).id])
  }

  @Test("an article of the list has its source")
  func articles() {
    let presenter = FeedArticlesPresenter(
      text: FeedText(language: .russian), calendar: gregorian(), currentDate: { now })
    #expect(presenter.title == "Новости")
    let article = presenter.map([Samples.article(publishedAt: now)])[0]
    #expect(article.title == "Headline")
    #expect(article.source == "Источник: Reuters")
    #expect(article.image == Samples.url("picture"))
    #expect(article.key == Samples.url("article"))
  }

  @Test("the name of a source is shown unchanged, whatever its characters")
  func placeholderInValue() {
    var article = Samples.article(publishedAt: now)
    article.source.name = "100 %@ %d News"
    let presenter = FeedArticlesPresenter(
      text: english, calendar: gregorian(), currentDate: { now })
    #expect(presenter.map([article])[0].source == "From: 100 %@ %d News")
  }

  @Test("the details of an article have all of its fields")
  func articleDetails() throws {
    let presenter = ArticleDetailsPresenter(text: english, calendar: gregorian())
    let url = try #require(URL(string: "https://news.invalid/1"))
    let details = presenter.map(Samples.article(publishedAt: now, url: url))
    #expect(details.title == "Headline")
    #expect(details.source == "From: Reuters")
    #expect(details.author == "By A. Writer")
    #expect(details.description == "In short")
    #expect(details.content == "At length")
    #expect(details.image == Samples.url("picture"))
    #expect(details.link.title == "Read the whole article")
    #expect(details.link.url == url)

    let bare = presenter.map(Samples.article(publishedAt: now, isWhole: false))
    #expect(bare.author == nil)
    #expect(bare.description == nil)
    #expect(bare.content == nil)
    #expect(bare.image == nil)
  }

  @Test("a university of the list shows its state only if it has one")
  func universities() {
    let presenter = UniversitiesPresenter(text: FeedText(language: .hindi))
    #expect(presenter.title == "विश्वविद्यालय")
    var stateless = Samples.university
    stateless.stateProvince = nil
    let universities = presenter.map([Samples.university, stateless])
    #expect(universities.map(\.name) == [Samples.university.name, Samples.university.name])
    #expect(universities.map(\.country) == ["Greece", "Greece"])
    #expect(universities.map(\.state) == ["Chania", nil])
    #expect(universities.map(\.hasState) == [true, false])
  }

  @Test("the detail of a university has its fields and domains, and a link for each web page")
  func universityDetail() {
    let presenter = UniversitiesPresenter(text: english)
    let detail = presenter.mapDetail(Samples.university)
    #expect(detail.name == Samples.university.name)
    #expect(detail.fields.map(\.label) == ["Country", "Country code", "State or province"])
    #expect(detail.fields.map(\.value) == ["Greece", "GR", "Chania"])
    #expect(detail.domainsTitle == "Domains")
    #expect(detail.domains == ["tuc.gr", "crete.example"])
    #expect(detail.linksTitle == "Web pages")
    #expect(detail.links.map(\.title) == ["https://www.tuc.gr/", "javascript:alert(1)", "tuc"])
    #expect(detail.links.map(\.url) == [URL(string: "https://www.tuc.gr/"), nil, nil])

    var stateless = Samples.university
    stateless.stateProvince = nil
    #expect(presenter.mapDetail(stateless).fields.map(\.value) == ["Greece", "GR"])
  }

  @Test(
    "only a web address becomes a link",
    arguments: [
      ("http://a.invalid", true), ("HTTPS://a.invalid/b?c#d", true), ("https://", false),
      ("", false), ("javascript:alert(1)", false), (" javascript:alert(1)", false),
      ("data:text/html,x", false), ("file:///etc/passwd", false), ("//a.invalid", false),
      ("https:a.invalid", false), ("www.a.invalid", false),
    ])
  func links(address: String, isLink: Bool) {
    let link = WebLink(address)
    #expect(link.title == address)
    #expect((link.url != nil) == isLink)
  }

  @Test(
    "the status of a character is translated if it is known",
    arguments: [
      ("Alive", "В живых"), ("Dead", "Нет в живых"), ("unknown", "Неизвестно"),
      ("Undead", "Undead"), ("", ""),
    ])
  func characters(status: String, text: String) {
    let presenter = CharactersPresenter(text: FeedText(language: .russian))
    #expect(presenter.title == "Персонажи")
    var character = Samples.character
    character.status = status
    let item = presenter.map([character])[0]
    #expect(item.name == "Rick Sanchez")
    #expect(item.status == text)
    #expect(item.species == "Human")
    #expect(item.image == Samples.url("rick"))

    let detail = presenter.mapDetail(character)
    #expect(detail.name == "Rick Sanchez")
    #expect(detail.image == Samples.url("rick"))
    #expect(detail.fields.map(\.label) == ["Состояние", "Вид"])
    #expect(detail.fields.map(\.value) == [text, "Human"])
  }
}
