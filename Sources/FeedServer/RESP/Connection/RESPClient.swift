/// Who is at the other end of a connection, as far as that was said.
struct RESPClient: Sendable {
  let identifier: Int
  /// 2 or 3.
  var version = 2
  /// Whether the client may ask for what is stored.
  var isAdmitted: Bool
  var name = ""
  var libraryName = ""
  var libraryVersion = ""
  /// The last command.
  var command = RESPCommand.unknown
}
