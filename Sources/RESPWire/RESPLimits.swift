/// The limits of a command. Nothing is stored over this protocol, so keys are the longest
/// arguments.
package struct RESPLimits: Hashable, Sendable {
  /// The bytes of a command that is a line of words.
  package var inlineBytes = 64 << 10
  /// The bytes of one argument: enough for a URL of 64 KiB and more.
  package var bulkBytes = 128 << 10
  /// The arguments of a command, including its name. Redis has the same maximum.
  package var arguments = 1 << 20
  /// The bytes of a whole command: enough for the keys of 100,000 images.
  package var commandBytes = 16 << 20
  /// Whether these are the limits of a client that has not authenticated.
  package var isUnauthenticated = false

  package init() {}

  /// Enough for `HELLO` and `AUTH`; Redis has the same two numbers.
  package static var unauthenticated: RESPLimits {
    var limits = RESPLimits()
    limits.arguments = 10
    limits.bulkBytes = 16 << 10
    limits.inlineBytes = 16 << 10
    limits.isUnauthenticated = true
    return limits
  }
}
