#if Server
  import Hummingbird
  import NIOCore

  /// What Hummingbird gives to those who answer a request.
  struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection of the client.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = .init(source: source)
      channel = source.channel
    }
  }
#endif
