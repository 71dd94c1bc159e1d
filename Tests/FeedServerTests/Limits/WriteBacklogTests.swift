#if Server
  import NIOCore
  import NIOEmbedded
  import Testing

  @testable import FeedServer

  @Suite("The write backlog of all clients")
  struct WriteBacklogTests {
    @Test("is bounded for all together: the one that waits longest is cut off")
    func bound() throws {
      let backlog = WriteBacklog(capacity: 100)
      let clients = (0..<4).map { _ in Client() }
      for client in clients.prefix(3) { backlog.add(30, for: client.channel) }
      #expect(clients.map(\.isCutOff) == [false, false, false, false])
      // Has taken something since, and is the last of them now.
      backlog.add(30, for: clients[0].channel)
      backlog.add(60, for: clients[3].channel)
      #expect(clients.map(\.isCutOff) == [false, true, true, false])
    }

    @Test("may be more of one alone: nobody is cut off for an answer of their own")
    func one() throws {
      let backlog = WriteBacklog(capacity: 100)
      let client = Client()
      backlog.add(150, for: client.channel)
      #expect(!client.isCutOff)
    }

    @Test("counts no more when it is taken")
    func release() throws {
      let backlog = WriteBacklog(capacity: 100)
      let clients = (0..<2).map { _ in Client() }
      backlog.add(90, for: clients[0].channel)
      backlog.release(clients[0].channel)
      backlog.add(90, for: clients[1].channel)
      #expect(clients.map(\.isCutOff) == [false, false])
    }
  }

  /// A connection that knows whether it was cut off.
  private final class Client {
    private final class Handler: ChannelInboundHandler {
      typealias InboundIn = Any
      var isCutOff = false

      func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case WriteBacklog.Event.cutOff = event { isCutOff = true }
      }
    }

    private let handler = Handler()
    let channel: EmbeddedChannel

    init() { channel = EmbeddedChannel(handler: handler) }

    var isCutOff: Bool { handler.isCutOff }
  }
#endif
