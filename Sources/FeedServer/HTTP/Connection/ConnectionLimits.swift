#if Server
  import NIOCore

  /// How long a client of HTTP may take, and how much it may send.
  struct ConnectionLimits: Sendable {
    /// The head of a request, from its first byte to its last; an answer until it begins; a reader
    /// until it takes more.
    let patience: TimeAmount
    /// An answer until it begins, to a client that has closed its side: most of them have gone.
    let parting: TimeAmount
    /// A connection without a request.
    let idle: TimeAmount
    /// How often all this is looked at.
    let interval: TimeAmount
    /// After its last answer a connection is read from for a while, so that the client gets that
    /// answer before it learns that what it goes on to send is not wanted.
    let lingering = TimeAmount.seconds(1)
    /// The bytes of a request's target.
    let targetBytes = 8 << 10
    /// The bytes of all fields of a head, and of one of them.
    let headBytes = 32 << 10
    /// The fields of a head.
    let fields = 100
    /// The requests that wait on one connection behind one that is being answered.
    let waitingRequests = 256

    init(_ configuration: ServerConfiguration) {
      patience = TimeAmount(configuration.requestTimeout)
      parting = min(patience, .seconds(5))
      idle = max(patience, .seconds(60))
      interval = max(.milliseconds(20), min(.seconds(1), .nanoseconds(patience.nanoseconds / 4)))
    }
  }
#endif
