/// What to tell the customer of an error: its kind, then the text of that kind in their language.
public struct FailureTexts: Sendable {
  /// The texts.
  public let text: FeedText

  private let failure: @Sendable (any Error) -> LoadFailure

  /// Makes the texts of a language.
  ///
  /// - Parameters:
  ///   - text: the texts.
  ///   - failure: what an error means, where more kinds of errors are known than
  ///     ``LoadFailure/init(_:)`` knows.
  public init(
    _ text: FeedText,
    failure: @escaping @Sendable (any Error) -> LoadFailure = { LoadFailure($0) }
  ) {
    self.text = text
    self.failure = failure
  }

  /// What to tell the customer of an error.
  public func message(for error: any Error) -> String { text.message(for: failure(error)) }
}
