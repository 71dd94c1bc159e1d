/// Why a client was refused. Each reason is counted.
package enum Refusal: String, CaseIterable, Sendable {
  /// The limit of connections was reached.
  case connectionLimit = "connection_limit"
  /// The input violates the protocol.
  case malformed
  /// A head, a command or an argument is too long.
  case tooLarge = "too_large"
  /// A host that is not allowed on the loopback interface.
  case host
  /// A request has a body where none is accepted.
  case body
  /// A request was not complete in time.
  case slowRequest = "slow_request"
  /// A response was not ready in time.
  case deadline
  /// A client received nothing of its response for too long.
  case slowReader = "slow_reader"
  /// The credentials are missing or wrong.
  case unauthorized
  /// Too many attempts with wrong credentials came from the client's address.
  case tooManyLogins = "too_many_logins"
  /// A method or command that does not exist or would write.
  case notAllowed = "not_allowed"
  /// A byte range outside an image.
  case range
  /// A URL that no feed names.
  case foreignURL = "foreign_url"
  /// The server is stopping.
  case stopping
}
