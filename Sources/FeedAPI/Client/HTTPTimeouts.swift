/// The time limit of each part of a request.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The limit for establishing a connection, including TLS.
  public var connect: Duration
  /// The limit for the next bytes while they are awaited: the response's head, or more of its body.
  /// Time that the reader itself takes does not count.
  public var idle: Duration
  /// The limit from the request to the end of the body. Nil for no limit, as a feed of a gigabyte
  /// over a slow network needs.
  public var whole: Duration?
  /// The minimum rate of a body in bytes per second, on average over ``paceInterval``; nil for no
  /// minimum. Only time in which bytes are awaited counts. Without a minimum, a service that sends
  /// a byte now and then occupies the connection without end.
  public var minimumBytesPerSecond: Int? = 1000
  /// The awaited time after which the pace of a body is measured.
  public var paceInterval = Duration.seconds(30)

  /// Makes time limits; by default 10 s to connect, 30 s idle, no limit for the whole request, and
  /// at least 1 kB of a body a second.
  public init(
    connect: Duration = .seconds(10), idle: Duration = .seconds(30), whole: Duration? = nil
  ) {
    self.connect = connect
    self.idle = idle
    self.whole = whole
  }
}
