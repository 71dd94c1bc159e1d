/// What is known about the client of a connection.
struct RESPClient: Sendable {
  let identifier: Int
  /// The protocol version, 2 or 3.
  var version = 2
  /// Whether the client may read the store.
  var isAdmitted: Bool
  var name = ""
  var libraryName = ""
  var libraryVersion = ""
  /// The last command.
  var command = RESPCommand.unknown
}
