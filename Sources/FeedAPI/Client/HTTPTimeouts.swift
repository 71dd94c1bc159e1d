/// How long each part of a request may take.
public struct HTTPTimeouts: Sendable, Hashable {
  /// Until there is a connection, TLS included.
  public var connect: Duration
  /// Until the next bytes come, while they are waited for: the response's head, or more of its
  /// body. Time that the reader takes for itself does not count.
  public var idle: Duration
  /// From the request to the end of the body; nil for no limit, as a feed of a gigabyte over a
  /// slow line needs it.
  public var whole: Duration?

  /// Makes time limits; by default 10 s to connect, 30 s idle, no limit to the whole.
  public init(
    connect: Duration = .seconds(10), idle: Duration = .seconds(30), whole: Duration? = nil
  ) {
    self.connect = connect
    self.idle = idle
    self.whole = whole
  }
}
