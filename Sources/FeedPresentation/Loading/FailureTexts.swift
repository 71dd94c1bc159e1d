/// The messages for errors: an error's kind selects a text in the customer's language.
public struct FailureTexts: Sendable {
  /// The texts.
  public let text: FeedText

  private let failure: @Sendable (any Error) -> LoadFailure

  /// Makes the texts of a language.
  ///
  /// - Parameters:
  ///   - text: the texts.
  ///   - failure: classifies an error, if more kinds of errors are known than
  ///     ``LoadFailure/init(_:)`` knows.
  public init(
    _ text: FeedText,
    failure: @escaping @Sendable (any Error) -> LoadFailure = { LoadFailure($0) }
  ) {
    self.text = text
    self.failure = failure
  }

  /// The message for an error.
  public func message(for error: any Error) -> String { text.message(for: failure(error)) }
}
