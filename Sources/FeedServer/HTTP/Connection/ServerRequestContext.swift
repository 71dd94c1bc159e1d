#if Server
  import Hummingbird
  import NIOCore

  /// The context that Hummingbird passes to responders.
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
