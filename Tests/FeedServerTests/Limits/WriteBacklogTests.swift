#if Server
  import NIOCore
  import NIOEmbedded
  import Testing

  @testable import FeedServer

  @Suite("The write backlog of all clients")
  struct WriteBacklogTests {
    @Test("is bounded in total: the client that has waited longest is disconnected")
    func bound() throws {
      let backlog = WriteBacklog(capacity: 100)
      let clients = (0..<4).map { _ in Client() }
      for client in clients.prefix(3) { backlog.add(30, for: client.channel) }
      #expect(clients.map(\.isCutOff) == [false, false, false, false])
      // The first client has received more since, and is now cut off last.
      backlog.add(30, for: clients[0].channel)
      backlog.add(60, for: clients[3].channel)
      #expect(clients.map(\.isCutOff) == [false, true, true, false])
    }

    @Test("may be larger for a single client, which is not disconnected for its own response")
    func one() throws {
      let backlog = WriteBacklog(capacity: 100)
      let client = Client()
      backlog.add(150, for: client.channel)
      #expect(!client.isCutOff)
    }

    @Test("is released when the client has received it")
    func release() throws {
      let backlog = WriteBacklog(capacity: 100)
      let clients = (0..<2).map { _ in Client() }
      backlog.add(90, for: clients[0].channel)
      backlog.release(clients[0].channel)
      backlog.add(90, for: clients[1].channel)
      #expect(clients.map(\.isCutOff) == [false, false])
    }
  }

  /// A connection that records whether it was cut off.
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
