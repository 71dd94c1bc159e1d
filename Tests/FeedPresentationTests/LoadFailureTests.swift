import FeedFeature
import FeedPresentation
import Foundation
import Testing

@Suite("Failures")
struct LoadFailureTests {
  private struct StoreFault: Error {}

  @Test("errors of the domain are distinguished")
  func known() {
    #expect(LoadFailure(LocalFeedError.empty) == .emptyCache)
    #expect(LoadFailure(LocalFeedError.expired) == .expiredCache)
    #expect(LoadFailure(DetailError.notFound) == .notFound)
    #expect(LoadFailure(LocalFeedImageDataLoader.LoadError.notFound) == .notFound)
    for failure in LoadFailure.allCases { #expect(LoadFailure(failure) == failure) }
  }

  @Test("any other error reads as the documents' message for a failed connection")
  func unknown() {
    let text = FeedText(language: .english)
    for error: any Error in [
      StoreFault(), LocalFeedImageDataLoader.LoadError.failed(StoreFault()),
      CocoaError(.fileNoSuchFile),
    ] {
      #expect(LoadFailure(error) == .connectivity)
      #expect(FailureTexts(text).message(for: error) == "Couldn't connect to server")
    }
    let own = FailureTexts(text) { $0 is StoreFault ? .other : LoadFailure($0) }
    #expect(own.message(for: StoreFault()) == text[.otherError])
  }

  @Test("a failure of a service that states its kind needs no translation")
  func service() {
    struct Unreachable: ServiceFailure { let isConnectivityFailure = true }
    struct Unusable: ServiceFailure { let isConnectivityFailure = false }
    #expect(LoadFailure(Unreachable()) == .connectivity)
    #expect(LoadFailure(Unusable()) == .invalidData)
    let text = FeedText(language: .english)
    let failures = FailureTexts(text)
    #expect(failures.message(for: Unreachable()) == text[.connectivityError])
    #expect(failures.message(for: Unusable()) == text[.invalidDataError])
  }

  @Test("each failure has a distinct message in each language", arguments: Language.allCases)
  func messages(language: Language) {
    let text = FeedText(language: language)
    let messages = Set(LoadFailure.allCases.map(text.message(for:)))
    #expect(messages.count == LoadFailure.allCases.count)
  }

  @Test(
    "the message for an unreachable service is in the language",
    arguments: [
      (Language.english, "Couldn't connect to server"),
      (.greek, "Δεν ήταν δυνατή η σύνδεση με τον διακομιστή"),
      (.brazilianPortuguese, "Não foi possível conectar ao servidor"),
      (.russian, "Не удалось подключиться к серверу"), (.hindi, "सर्वर से कनेक्ट नहीं हो सका"),
    ])
  func connectivity(language: Language, message: String) {
    let failures = failureTexts(in: FeedText(language: language))
    #expect(failures.message(for: ServiceError.connectivity) == message)
  }
}
