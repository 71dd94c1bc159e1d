/// Why a client did not get what it wanted: the reasons that are counted.
package enum Refusal: String, CaseIterable, Sendable {
  /// There were as many connections as there may be.
  case connectionLimit = "connection_limit"
  /// What came is not of the protocol.
  case malformed
  /// A head, a command or one of its arguments is longer than it may be.
  case tooLarge = "too_large"
  /// A body came where none is taken.
  case body
  /// A request did not come to its end in time.
  case slowRequest = "slow_request"
  /// An answer was not ready in time.
  case deadline
  /// A client took nothing of its answer for too long.
  case slowReader = "slow_reader"
  /// Nobody who is let in.
  case unauthorized
  /// A method or a command that is not there, or that would write.
  case notAllowed = "not_allowed"
  /// A range of bytes that lies outside of an image.
  case range
  /// A URL that no feed names.
  case foreignURL = "foreign_url"
  /// The server is stopping.
  case stopping
}
