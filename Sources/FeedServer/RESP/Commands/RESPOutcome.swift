/// What has become of a command.
enum RESPOutcome: Hashable {
  case answered
  /// Its answer has begun, and goes on where it ended when there is room or time for it.
  case unfinished
  /// It was the client's last.
  case close
  /// The client is sent away.
  case refuse(Refusal)
}

/// How far the answer to a command of several keys, or of a large image, has come.
struct RESPProgress {
  /// The argument that is next.
  var index = 1
  /// What was counted so far.
  var sum = 0
  /// The image that is being sent.
  var image: ImageTransfer?
}
