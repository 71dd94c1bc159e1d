import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@MainActor
@Suite("Comments and article details: the view")
struct DetailScenarioTests {
  /// The events of a view for a load with this result.
  private func messages<Resource: Sendable, ViewModel: Equatable & Sendable>(
    of result: Result<Resource, ServiceError>, mapper: @escaping (Resource) -> ViewModel
  ) async -> [ViewSpy<ViewModel>.Message] {
    let view = ViewSpy<ViewModel>()
    let adapter = LoadResourcePresentationAdapter(
      presenter: LoadResourcePresenter(
        resourceView: view, loadingView: view, errorView: view, failures: failures, mapper: mapper),
      loader: { try result.get() })
    await adapter.loadResource().value
    return view.messages
  }

  private let comments = ImageCommentsPresenter(
    text: english, calendar: gregorian(), currentDate: { now })
  private let details = ArticleDetailsPresenter(text: english, calendar: gregorian())

  @Test(
    "Essential App: online, all comments on the image are shown",
    .course(.essential, "Image Comments, Narrative", "Online"),
    .course(.essential, "Load Image Comments From Remote Use Case", "Primary course"))
  func commentsOnline() async {
    let loaded = [
      Samples.comment("first", at: now - 300), Samples.comment("second", at: now - 86400),
    ]
    let shown = await messages(of: .success(loaded), mapper: comments.map)
    #expect(
      shown == [
        .error(nil), .loading(true), .resource(comments.map(loaded)), .loading(false),
      ])
    #expect(comments.map(loaded).comments.map(\.message) == ["first", "second"])
  }

  @Test(
    "Essential App: comments that cannot be loaded show why",
    .course(.essential, "Image Comments, Narrative", "Offline"),
    .course(.essential, "Load Image Comments From Remote Use Case", "No connectivity course"),
    .course(.essential, "Load Image Comments From Remote Use Case", "Invalid data course"),
    arguments: ServiceError.allCases)
  func commentsOffline(error: ServiceError) async {
    let shown = await messages(of: .failure(error), mapper: comments.map)
    #expect(shown == [.error(nil), .loading(true), .error(error.message), .loading(false)])
  }

  @Test(
    "EssentialNews App: online, all details of the article are shown",
    .course(.news, "Article Details, Narrative", "Online"),
    .course(.news, "Load Article Details From Remote Use Case", "Primary course"))
  func detailsOnline() async {
    let article = Samples.article(publishedAt: now)
    let shown = await messages(of: .success(article), mapper: details.map)
    #expect(
      shown == [
        .error(nil), .loading(true), .resource(details.map(article)), .loading(false),
      ])
  }

  @Test(
    "EssentialNews App: details that cannot be loaded show why",
    .course(.news, "Article Details, Narrative", "Offline"),
    .course(.news, "Load Article Details From Remote Use Case", "No connectivity course"),
    .course(.news, "Load Article Details From Remote Use Case", "Invalid data course"),
    arguments: ServiceError.allCases)
  func detailsOffline(error: ServiceError) async {
    let shown = await messages(of: .failure(error), mapper: details.map)
    #expect(shown == [.error(nil), .loading(true), .error(error.message), .loading(false)])
  }
}
