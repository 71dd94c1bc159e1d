/// The outcome of a command.
enum RESPOutcome: Hashable {
  case answered
  /// The response is incomplete and continues when there is room or time.
  case unfinished
  /// It was the client's last command.
  case close
  /// The client is disconnected.
  case refuse(Refusal)
}

/// The progress of a response to several keys or with a large image.
struct RESPProgress {
  /// The index of the next argument.
  var index = 1
  /// The count so far.
  var sum = 0
  /// The image that is being sent.
  var image: ImageTransfer?
}
