/// A value with a label, such as "Country" and "Greece".
public struct LabelledText: Sendable, Hashable {
  /// The label, in the language of the view.
  public let label: String
  /// The value of the feed, translated if there is a translation.
  public let value: String
}
