/// A value and what it is called, such as "Country" and "Greece".
public struct LabelledText: Sendable, Hashable {
  /// What the value is, in the language of the view.
  public let label: String
  /// The value, as the feed has it unless there is a word for it.
  public let value: String
}
