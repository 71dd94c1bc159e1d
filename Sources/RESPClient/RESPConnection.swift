#if Cluster
  import NIOCore
  import RESPWire
  import Synchronization

  /// One connection to a node: a pipeline with limited bytes in flight.
  ///
  /// Commands are accepted from the start, and are sent once the connection is set up. A connection
  /// that has ended is not reused; the pool makes another one.
  ///
  /// `@unchecked Sendable`: only the event loop accesses the variables, except the atomic ones.
  final class RESPConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A command, and where its outcome is stored.
    struct Request {
      let command: RESPCommand
      let batch: RESPBatch
      let index: Int
      let deadline: NIODeadline
      /// Whether `ASKING` must precede the command.
      var isAsking = false
      var writes: RESPWrites?
    }

    /// Closures that the connection calls on its event loop.
    struct Events {
      var ready: @Sendable () -> Void = {}
      var push: @Sendable (RESPReply) -> Void = { _ in }
      /// The cause, and whether the node has replied to a command before.
      var ended: @Sendable (RESPClientError.Cause, _ hasReplied: Bool) -> Void = { _, _ in }
    }

    /// A command that has been sent.
    private struct Pending {
      /// Nil for a command that the connection itself sends.
      var request: Request?
      var isSetup = false
      let weight: Int
      /// The value of `demotions` when the command was sent.
      var demotions = 0
      /// The time at which the connection counts as dead if there is no reply.
      let limit: NIODeadline
    }

    private enum Phase {
      case connecting
      case setUp(missing: Int)
      case ready
      /// The cause is the error of all later commands.
      case ended(RESPClientError.Cause)
    }

    let node: RESPNode
    let eventLoop: any EventLoop
    private let inFlightLimit: Int
    private let timeout: TimeAmount
    private let setup: [RESPCommand]
    private let events: Events
    private let isOpenFlag = Atomic(true)
    private let demotionCount = Atomic(0)

    private var channel: (any Channel)?
    private var phase = Phase.connecting
    /// The commands that have not been sent.
    private var waiting = CircularBuffer<Request>()
    /// The commands that have been sent, in order of their replies.
    private var pending = CircularBuffer<Pending>()
    private var inFlightBytes = 0
    /// The latest time at which the sent blocking commands end.
    private var blockedUntil = NIODeadline.uptimeNanoseconds(0)
    private var input = RESPReplyReader()
    private var hasReplied = false
    private var isTicking = false
    private let began = NIODeadline.now()

    /// - Parameter setup: the commands to begin with. An error reply to one ends the connection.
    init(
      to node: RESPNode, on eventLoop: any EventLoop, _ configuration: RESPConfiguration,
      setup: [RESPCommand], events: Events
    ) {
      self.node = node
      self.eventLoop = eventLoop
      self.setup = setup
      self.events = events
      inFlightLimit = configuration.inFlightBytes
      timeout = TimeAmount(configuration.deadline)
    }

    /// Whether the connection takes commands.
    var isOpen: Bool { isOpenFlag.load(ordering: .acquiring) }

    /// How often the node was seen as a replica. Earlier writes may be lost.
    var demotions: Int { demotionCount.load(ordering: .acquiring) }

    func countDemotion() { demotionCount.add(1, ordering: .acquiringAndReleasing) }

    /// Sends commands, from any thread.
    func submit(_ requests: [Request]) {
      // The server would read the next command as the missing argument.
      precondition(
        requests.allSatisfy { $0.command.missingArguments == 0 }, "an argument is missing")
      eventLoop.execute { self.enqueue(requests) }
    }

    /// Ends the connection, from any thread.
    func close(_ cause: RESPClientError.Cause) {
      eventLoop.execute { self.end(cause) }
    }

    // MARK: Sending

    /// Limits the time to connect, on the event loop.
    func begin() { startTicking() }

    private func enqueue(_ requests: [Request]) {
      if case .ended(let cause) = phase {
        for request in requests { fail(request, cause) }
        return
      }
      waiting.append(contentsOf: requests)
      sendWaiting()
      startTicking()
    }

    private func sendWaiting() {
      guard case .ready = phase, let channel else { return }
      let now = NIODeadline.now()
      var hasWritten = false
      while let request = waiting.first {
        let weight = request.command.weight
        guard inFlightBytes == 0 || inFlightBytes + weight <= inFlightLimit else { break }
        waiting.removeFirst()
        if request.isAsking { write(.asking, Pending(weight: 0, limit: limit(now)), to: channel) }
        if request.command.blockingTime > .zero {
          blockedUntil = max(now, blockedUntil) + TimeAmount(request.command.blockingTime)
        }
        let pending = Pending(
          request: request, weight: weight, demotions: demotions, limit: limit(now))
        write(request.command, pending, to: channel)
        hasWritten = true
      }
      if hasWritten { channel.flush() }
    }

    private func limit(_ now: NIODeadline) -> NIODeadline { max(now, blockedUntil) + timeout }

    private func write(_ command: RESPCommand, _ entry: Pending, to channel: any Channel) {
      channel.pipeline.syncOperations.write(NIOAny(command.buffer), promise: nil)
      pending.append(entry)
      inFlightBytes += entry.weight
    }

    // MARK: Receiving

    func channelActive(context: ChannelHandlerContext) {
      guard case .connecting = phase else {
        context.close(promise: nil)
        return
      }
      // A name with several addresses has a channel for each, and the first one that connects
      // counts.
      channel = context.channel
      phase = .setUp(missing: setup.count)
      for command in setup {
        write(
          command, Pending(isSetup: true, weight: 0, limit: limit(.now())), to: context.channel)
      }
      context.flush()
      startTicking()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .ended = phase { return }
      do throws(RESPReplyError) {
        try input.read(Self.unwrapInboundIn(data)) { reply, isPush in
          if isPush { events.push(reply) } else { take(reply) }
        }
      } catch {
        end(.invalidReply("\(error)"))
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) { sendWaiting() }

    private func take(_ reply: RESPReply) {
      guard let entry = pending.popFirst() else {
        if case .ended = phase { return }
        // An error before anything was sent, such as `-ERR max number of clients reached`.
        if case .error(let error) = reply { return end(.server(error)) }
        return end(.invalidReply("a reply without a command"))
      }
      inFlightBytes -= entry.weight
      if entry.isSetup { return takeSetup(reply) }
      hasReplied = true
      guard let request = entry.request else { return }
      if request.command.blockingTime > .zero { endBlocking() }
      if case .error(let error) = reply {
        request.batch.complete(request.index, .failure(RESPClientError(error, node: node)))
        return
      }
      if request.command.access == .write {
        request.writes?.add(RESPWrites.Entry(connection: self, demotions: entry.demotions))
      }
      request.batch.complete(request.index, .success(reply))
    }

    /// If no blocking command is left, the deadlines of other commands apply again. A barrier often
    /// ends before its timeout.
    private func endBlocking() {
      let isBlocked = pending.contains { ($0.request?.command.blockingTime ?? .zero) > .zero }
      if !isBlocked { blockedUntil = .uptimeNanoseconds(0) }
    }

    private func takeSetup(_ reply: RESPReply) {
      if case .error(let error) = reply {
        // An old server quotes the arguments of an unknown command, which include the password.
        let text = "\(error.code) refused a command at the start of the connection"
        return end(RESPClientError(RESPServerError(text), node: node).cause)
      }
      guard case .setUp(let missing) = phase else { return }
      phase = missing == 1 ? .ready : .setUp(missing: missing - 1)
      // `channelReadComplete` sends what waits.
      if missing == 1 { events.ready() }
    }

    // MARK: The end

    func channelInactive(context: ChannelHandlerContext) {
      if isOwn(context.channel) { end(.connectionLost(mayHaveRun: true)) }
    }

    private func isOwn(_ channel: any Channel) -> Bool {
      self.channel.map { $0 === channel } ?? true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard isOwn(context.channel) else { return }
      if case .ready = phase { return end(.connectionLost(mayHaveRun: true)) }
      end(.unreachable(because: error))
    }

    /// Ends the connection and fails its commands, on the event loop.
    func end(_ cause: RESPClientError.Cause) {
      if case .ended = phase { return }
      var unsent = cause
      switch cause {
      case .connectionLost: unsent = .connectionLost(mayHaveRun: false)
      case .timeout: unsent = .timeout(mayHaveRun: false)
      default: break
      }
      phase = .ended(unsent)
      isOpenFlag.store(false, ordering: .releasing)
      channel?.close(promise: nil)
      let (sent, waiting) = (pending, waiting)
      pending = []
      self.waiting = []
      events.ended(cause, hasReplied)
      for entry in sent { if let request = entry.request { fail(request, cause) } }
      for request in waiting { fail(request, unsent) }
    }

    private func fail(_ request: Request, _ cause: RESPClientError.Cause) {
      request.batch.complete(request.index, .failure(RESPClientError(cause, node: node)))
    }

    // MARK: Deadlines

    private var interval: TimeAmount { .nanoseconds(max(timeout.nanoseconds / 20, 1_000_000)) }

    private func startTicking() {
      guard !isTicking else { return }
      isTicking = true
      eventLoop.scheduleTask(in: interval) {
        self.isTicking = false
        self.tick()
      }
    }

    /// Whether the node owes a reply for too long. A command that was sent again may have had
    /// little time, so at least half of the deadline counts.
    private func isOverdue(_ entry: Pending, at now: NIODeadline) -> Bool {
      if entry.limit <= now { return true }
      guard let request = entry.request, hasExpired(request, at: now) else { return false }
      return entry.limit - .nanoseconds(timeout.nanoseconds / 2) <= now
    }

    private func hasExpired(_ request: Request, at now: NIODeadline) -> Bool {
      // An earlier barrier may block the reply until `blockedUntil`.
      max(request.deadline, blockedUntil + timeout) <= now
    }

    /// Fails the commands whose deadline has passed. A connection ends if it owes a reply for too
    /// long: no other reply can arrive before that one.
    private func tick() {
      if case .ended = phase { return }
      let now = NIODeadline.now()
      let isSilent = pending.first.map { isOverdue($0, at: now) } ?? false
      var isSlowToConnect = false
      if case .connecting = phase { isSlowToConnect = began + timeout <= now }
      if isSilent || isSlowToConnect { return end(.timeout(mayHaveRun: true)) }
      waiting.removeAll { request in
        guard hasExpired(request, at: now) else { return false }
        fail(request, .timeout(mayHaveRun: false))
        return true
      }
      for case let request? in pending.lazy.map(\.request) where hasExpired(request, at: now) {
        fail(request, .timeout(mayHaveRun: true))
      }
      if !pending.isEmpty || !waiting.isEmpty { return startTicking() }
      if case .connecting = phase { startTicking() }
    }
  }

  extension RESPCommand {
    fileprivate static let asking = RESPCommand("ASKING", [])

    /// The bytes in flight that the command counts for.
    fileprivate var weight: Int { max(buffer.readableBytes, expectedReplyBytes) }
  }
#endif
