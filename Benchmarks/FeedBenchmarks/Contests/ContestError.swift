/// The reason why a contest has no result.
struct ContestError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
