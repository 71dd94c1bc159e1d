#if Server
  import NIOCore
  import Synchronization

  /// What the connections of one event loop share.
  ///
  /// All of it belongs to that loop: one command is answered after the other, into one buffer.
  final class RESPWorker {
    /// The bounds of what clients can make a server hold.
    struct Limits: Sendable {
      /// Answers that are gathered before they are sent.
      var flushBytes = 64 << 10
      /// Answers to one client that are copied, to be sent with those to others.
      var copiedBytes = 16 << 10
      /// Work, about in bytes of answers, after which other connections get their turn: some
      /// milliseconds.
      var sliceBytes = 512 << 10
      /// What all connections of a worker may hold that clients do not send or take.
      var heldBytes = 32 << 20
      /// What one client may queue between `MULTI` and `EXEC`.
      var transactionCommands = 64 << 10
      var transactionBytes = 16 << 20
      /// How long a connection is left to its client after the last answer.
      var lingering = TimeAmount.seconds(1)
      /// How long a connection without requests is kept when there are few left.
      var idle = TimeAmount.minutes(5)
    }

    let context: ServerContext
    let limits: Limits
    let keyspace: Keyspace
    var output: RESPOutput
    let began = NIODeadline.now()
    private(set) var connections: [ObjectIdentifier: RESPConnection] = [:]
    private(set) var isDraining = false
    private let eventLoop: any EventLoop
    private(set) var heldBytes = 0
    private var tick: Scheduled<Void>?
    private var drained: [EventLoopPromise<Void>] = []
    /// The commands that were answered since they were counted, and of each those with an error.
    private var tally = [Int](repeating: 0, count: 2 * RESPCommand.allCases.count)
    /// A bit for each place of the tally that is not 0.
    private var tallied: UInt64 = 0
    /// The connections that go on when others have had their turn, in their order.
    private var waiting = CircularBuffer<RESPConnection>()
    private var hasTurn = false
    /// Whose answers lie in the output.
    private var writer: RESPConnection?
    /// The connections that have answers which the system was not given yet.
    private var unflushed: [RESPConnection] = []
    private var unflushedBytes = 0
    private var unflushedSince = NIODeadline.now()
    /// How long answers wait before the clients behind them are answered.
    private static let patience = TimeAmount.microseconds(250)
    private let counters: [MetricCounter]
    var receivedBytes = 0
    var sentBytes = 0

    private static let lastIdentifier = Atomic<Int>(0)

    init(_ context: ServerContext, _ eventLoop: any EventLoop, limits: Limits = Limits()) {
      self.context = context
      self.eventLoop = eventLoop
      self.limits = limits
      let configuration = context.configuration
      keyspace = Keyspace(
        context.store, policies: configuration.policies,
        cacheBytes: configuration.cacheBytesOfProtocol)
      output = RESPOutput(capacity: limits.flushBytes)
      counters = RESPCommand.allCases.flatMap { command in
        ["ok", "error"].map { outcome in
          context.metrics.counter(
            request: command.name.uppercased(), outcome: outcome, over: .resp)
        }
      }
    }

    static func nextIdentifier() -> Int {
      lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    }

    // MARK: Connections

    func add(_ connection: RESPConnection) {
      connections[ObjectIdentifier(connection)] = connection
      if connections.count == 1 { scheduleTick() }
    }

    func remove(_ connection: RESPConnection) {
      hold(0, connection)
      if writer === connection { writer = nil }
      connections[ObjectIdentifier(connection)] = nil
      if connections.isEmpty { finishDraining() }
    }

    private func scheduleTick() {
      tick?.cancel()
      tick = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(250)) { [weak self] in
        self?.checkAll()
      }
    }

    /// Every connection that waits for its client too long is closed.
    private func checkAll() {
      guard !connections.isEmpty else { return }
      defer { scheduleTick() }
      let now = NIODeadline.now()
      let isScarce =
        2 * context.metrics.openConnections(.resp) > context.configuration.maximumConnections
      for connection in connections.values { connection.check(at: now, isScarce: isScarce) }
    }

    /// Takes note of what is kept for a client that has not sent the rest, or not taken it. Where
    /// that is too much in all, those for whom most is kept are cut off.
    func hold(_ bytes: Int, _ connection: RESPConnection) {
      heldBytes += bytes - connection.heldBytes
      connection.heldBytes = bytes
      while heldBytes > limits.heldBytes,
        let largest = connections.values.max(by: { $0.heldBytes < $1.heldBytes }),
        largest.heldBytes > 0
      {
        heldBytes -= largest.heldBytes
        largest.heldBytes = 0
        largest.cut(for: .slowReader)
      }
    }

    // MARK: Turns

    /// The loop looks at its sockets only when it has no task left that is due: one that was just
    /// submitted, or whose time comes while another one runs, keeps all other clients waiting.
    private static let breath = TimeAmount.microseconds(50)

    /// Lets a connection go on when others have had their turn.
    func wait(_ connection: RESPConnection) {
      waiting.append(connection)
      if !hasTurn { scheduleTurn() }
    }

    private func scheduleTurn() {
      hasTurn = true
      eventLoop.assumeIsolated().scheduleTask(in: Self.breath) { [self] in takeTurn() }
    }

    /// One connection goes on, and the time of the next one is counted from the end of its work.
    private func takeTurn() {
      while let connection = waiting.popFirst() {
        guard case .waitingForTurn = connection.phase else { continue }
        connection.goOn()
        break
      }
      hasTurn = false
      if !waiting.isEmpty { scheduleTurn() }
    }

    // MARK: Answers

    /// From now on the answers are those to one connection.
    func beginWriting(_ connection: RESPConnection) {
      if writer !== connection {
        output.buffer.clear()
        writer = connection
      }
      output.version = connection.client.version
    }

    func isWriter(_ connection: RESPConnection) -> Bool { writer === connection }

    /// The answers that have not been sent; nil where there are none.
    func takeOutput() -> ByteBuffer? {
      guard output.buffer.readableBytes > 0 else { return nil }
      var buffer = ByteBuffer()
      swap(&buffer, &output.buffer)
      return buffer
    }

    func noteSent(_ answers: ByteBuffer) {
      sentBytes += answers.readableBytes
      keyspace.work += answers.readableBytes
    }

    /// Takes a buffer for the answers that come next.
    func giveBack(_ buffer: consuming ByteBuffer) {
      output.buffer = buffer
      if output.buffer.capacity > 4 * limits.flushBytes {
        output.buffer = ByteBufferAllocator().buffer(capacity: limits.flushBytes)
      } else {
        // Of one that waits to be sent this leaves the bytes alone, and takes new memory.
        output.buffer.clear()
      }
    }

    /// The answers that have not been sent, copied so that the buffer takes others at once; nil where
    /// there are none, or more than so many bytes.
    func takeCopy(upTo count: Int) -> ByteBuffer? {
      let unsent = output.buffer.readableBytes
      guard unsent > 0, unsent <= count else { return nil }
      defer { output.buffer.clear() }
      return ByteBuffer(bytes: output.buffer.readableBytesView)
    }

    /// Has a connection's answers sent when the loop has looked at all sockets from which something
    /// has come, or so much is to be sent that who was answered first should not wait any longer.
    func flushLater(_ connection: RESPConnection, byteCount: Int) {
      if unflushed.isEmpty {
        unflushedSince = connection.lastRead
        eventLoop.assumeIsolated().execute { [self] in flushAll() }
      }
      unflushed.append(connection)
      unflushedBytes += byteCount
      if unflushedBytes >= limits.flushBytes { flushAll() }
    }

    /// Sends what waits for others who are still to be answered, if that takes long.
    func flushOverdue(at now: NIODeadline) {
      if !unflushed.isEmpty, now - unflushedSince > Self.patience { flushAll() }
    }

    private func flushAll() {
      // Taken out: where a write fails NIO reads what is left, which may be answered as well.
      var connections: [RESPConnection] = []
      swap(&connections, &unflushed)
      unflushedBytes = 0
      for connection in connections { connection.context?.flush() }
      connections.removeAll(keepingCapacity: true)
      if unflushed.isEmpty { swap(&connections, &unflushed) }
    }

    // MARK: The end

    /// Lets every connection finish what it was asked for; what comes then is not read any more.
    func drain(_ promise: EventLoopPromise<Void>) {
      isDraining = true
      drained.append(promise)
      for connection in connections.values { connection.drain() }
      if connections.isEmpty { finishDraining() }
    }

    /// Closes what is left.
    func cutAll() {
      for connection in connections.values { connection.cut(for: .stopping) }
      finishDraining()
    }

    private func finishDraining() {
      guard isDraining else { return }
      tick?.cancel()
      for promise in drained { promise.succeed() }
      drained = []
    }

    // MARK: Counting

    func count(_ command: RESPCommand, _ number: Int = 1, isError: Bool) {
      let place = 2 * command.rawValue + (isError ? 1 : 0)
      tally[place] += number
      tallied |= 1 << UInt64(place)
    }

    func refuse(_ refusal: Refusal) { context.metrics.count(refusal: refusal, of: .resp) }

    /// Adds what was counted to what all threads count.
    func publishCounts() {
      let metrics = context.metrics
      while tallied != 0 {
        let place = tallied.trailingZeroBitCount
        counters[place].add(tally[place])
        tally[place] = 0
        tallied &= tallied - 1
      }
      if receivedBytes > 0 { metrics.count(received: receivedBytes, over: .resp) }
      if sentBytes > 0 { metrics.count(sent: sentBytes, over: .resp) }
      metrics.countLookups(found: keyspace.found, missing: keyspace.missed)
      (receivedBytes, sentBytes, keyspace.found, keyspace.missed) = (0, 0, 0, 0)
    }
  }
#endif
