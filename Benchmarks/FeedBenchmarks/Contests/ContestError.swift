/// Why a contest says nothing.
struct ContestError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
