#if Server
  import NIOCore

  /// Timeouts and size limits of an HTTP client.
  struct ConnectionLimits: Sendable {
    /// The timeout of a request's head, from its first byte to its last; of a response until it
    /// begins; and of a reader until it receives more.
    let patience: TimeAmount
    /// The timeout of a response until it begins, if the client has closed its side. Most such
    /// clients are gone.
    let parting: TimeAmount
    /// The timeout of a connection without a request.
    let idle: TimeAmount
    /// How often the timeouts are checked.
    let interval: TimeAmount
    /// How long a connection is read after its last response. The client then receives the response
    /// before it notices that further input is not accepted.
    let lingering = TimeAmount.seconds(1)
    /// The maximum bytes of a request's target.
    let targetBytes = 8 << 10
    /// The maximum bytes of all fields of a head, and of one field.
    let headBytes = 32 << 10
    /// The maximum number of fields of a head.
    let fields = 100
    /// The maximum number of requests that wait on one connection for the current response.
    let waitingRequests = 256

    init(_ configuration: ServerConfiguration) {
      patience = TimeAmount(configuration.requestTimeout)
      parting = min(patience, .seconds(5))
      idle = max(patience, .seconds(60))
      interval = max(.milliseconds(20), min(.seconds(1), .nanoseconds(patience.nanoseconds / 4)))
    }
  }
#endif
