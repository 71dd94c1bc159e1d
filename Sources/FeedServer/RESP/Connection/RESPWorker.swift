#if Server
  import NIOCore
  import Synchronization

  /// The state that the connections of one event loop share.
  ///
  /// All of it belongs to that loop. Commands are answered one after another, into one buffer.
  final class RESPWorker {
    /// The limits of the memory that clients can occupy.
    struct Limits: Sendable {
      /// The bytes of responses that are collected before they are sent.
      var flushBytes = 64 << 10
      /// The maximum bytes of a client's responses that are copied, to be sent together with
      /// others.
      var copiedBytes = 16 << 10
      /// The work, in approximate bytes of responses, after which other connections get their turn:
      /// some milliseconds.
      var sliceBytes = 512 << 10
      /// The maximum bytes of transactions and unsent output of all connections of a worker.
      var heldBytes = 32 << 20
      /// The maximum bytes of requests that a client may send before it receives responses.
      var unreadBytes = 32 << 20
      /// The maximum bytes of unread requests of all connections of a worker.
      var allUnreadBytes = 256 << 20
      /// How long a client with too many unread requests may take to receive responses.
      var unreadTimeout = TimeAmount.seconds(2)
      /// The bytes of requests within the request timeout with which a client that receives nothing
      /// shows that it is still sending.
      var progressBytes = 64 << 10
      /// The maximum that one client may queue between `MULTI` and `EXEC`.
      var transactionCommands = 64 << 10
      var transactionBytes = 16 << 20
      /// The maximum number of feeds and images that one client may watch. `EXEC` looks up all of
      /// them at once.
      var watches = 16 << 10
      /// How long a connection stays open after the last response.
      var lingering = TimeAmount.seconds(1)
      /// How long an idle connection is kept when few connections are left.
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
    private(set) var unreadBytes = 0
    private var tick: Scheduled<Void>?
    private var drained: [EventLoopPromise<Void>] = []
    /// For each command, the number answered since the last publication, and the number of errors.
    private var tally = [Int](repeating: 0, count: 2 * RESPCommand.allCases.count)
    /// A bit for each index of the tally that is not 0.
    private var tallied: UInt64 = 0
    /// The connections that wait for their turn, in order.
    private var waiting = CircularBuffer<RESPConnection>()
    private var hasTurn = false
    /// The connection whose responses are in the output.
    private var writer: RESPConnection?
    /// The connections with responses that have not been passed to the system.
    private var unflushed: [RESPConnection] = []
    private var unflushedBytes = 0
    private var unflushedSince = NIODeadline.now()
    /// The maximum time that responses wait while later clients are answered.
    private static let maximumFlushDelay = TimeAmount.microseconds(250)
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
      holdUnread(0, connection)
      if writer === connection { writer = nil }
      connections[ObjectIdentifier(connection)] = nil
      if connections.isEmpty {
        keyspace.releaseFeeds()
        finishDraining()
      }
    }

    private func scheduleTick() {
      tick?.cancel()
      tick = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(250)) { [weak self] in
        self?.checkAll()
      }
    }

    /// Closes every connection that exceeds a timeout.
    private func checkAll() {
      guard !connections.isEmpty else { return }
      defer { scheduleTick() }
      keyspace.releaseReplacedFeeds()
      let now = NIODeadline.now()
      let isScarce =
        2 * context.metrics.openConnections(.resp) > context.configuration.maximumConnections
      for connection in connections.values { connection.check(at: now, isScarce: isScarce) }
    }

    /// Records the memory of a client's unread requests. If the total is too large, the connections
    /// with most of it are closed.
    func holdUnread(_ bytes: Int, _ connection: RESPConnection) {
      unreadBytes += bytes - connection.unreadBytes
      connection.unreadBytes = bytes
      while unreadBytes > limits.allUnreadBytes,
        let largest = connections.values.max(by: { $0.unreadBytes < $1.unreadBytes }),
        largest.unreadBytes > 0
      {
        unreadBytes -= largest.unreadBytes
        largest.unreadBytes = 0
        largest.refuseUnread(limits.allUnreadBytes, "all connections")
      }
    }

    /// Records the memory held for a client that has not received its responses. If the total is
    /// too large, the connections that hold most are closed.
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

    /// The delay before the next turn. The event loop polls its sockets only when no task is due. A
    /// task that was just submitted, or that becomes due while another runs, makes all other
    /// clients wait.
    private static let turnDelay = TimeAmount.microseconds(50)

    /// Lets a connection continue when others have had their turn.
    func wait(_ connection: RESPConnection) {
      waiting.append(connection)
      if !hasTurn { scheduleTurn() }
    }

    private func scheduleTurn() {
      hasTurn = true
      eventLoop.assumeIsolated().scheduleTask(in: Self.turnDelay) { [self] in takeTurn() }
    }

    /// One connection continues. The delay of the next one starts at the end of its work.
    private func takeTurn() {
      while let connection = waiting.popFirst() {
        guard case .waitingForTurn = connection.phase else { continue }
        connection.resume()
        break
      }
      hasTurn = false
      if !waiting.isEmpty { scheduleTurn() }
    }

    // MARK: Answers

    /// From now on the output holds responses to one connection.
    func beginWriting(_ connection: RESPConnection) {
      if writer !== connection {
        // Another connection may be closed while this one is answered.
        if output.buffer.readableBytes > 0 { writer?.flush() }
        output.buffer.clear()
        writer = connection
      }
      output.version = connection.client.version
    }

    func isWriter(_ connection: RESPConnection) -> Bool { writer === connection }

    /// The unsent responses; nil if there are none.
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

    /// Returns a buffer for the next responses.
    func recycle(_ buffer: consuming ByteBuffer) {
      output.buffer = buffer
      if output.buffer.capacity > 4 * limits.flushBytes {
        output.buffer = ByteBufferAllocator().buffer(capacity: limits.flushBytes)
      } else {
        // If the buffer is still being sent, this keeps its bytes and allocates new memory.
        output.buffer.clear()
      }
    }

    /// A copy of the unsent responses, so that the buffer is free at once; nil if there are none,
    /// or more than `count` bytes.
    func takeCopy(upTo count: Int) -> ByteBuffer? {
      let unsent = output.buffer.readableBytes
      guard unsent > 0, unsent <= count else { return nil }
      defer { output.buffer.clear() }
      return ByteBuffer(bytes: output.buffer.readableBytesView)
    }

    /// Sends a connection's responses when the event loop has polled all readable sockets. It sends
    /// them earlier if the pending work would delay the first client too long.
    func flushLater(_ connection: RESPConnection, byteCount: Int) {
      if unflushed.isEmpty {
        unflushedSince = connection.lastRead
        eventLoop.assumeIsolated().execute { [self] in flushAll() }
      }
      unflushed.append(connection)
      unflushedBytes += byteCount
      if unflushedBytes >= limits.flushBytes { flushAll() }
    }

    /// Sends pending responses if answering the remaining clients takes long.
    func flushOverdue(at now: NIODeadline) {
      if !unflushed.isEmpty, now - unflushedSince > Self.maximumFlushDelay { flushAll() }
    }

    private func flushAll() {
      // Moved out: if a write fails, NIO reads the remaining input, which may be answered as well.
      var connections: [RESPConnection] = []
      swap(&connections, &unflushed)
      unflushedBytes = 0
      for connection in connections { connection.context?.flush() }
      connections.removeAll(keepingCapacity: true)
      if unflushed.isEmpty { swap(&connections, &unflushed) }
    }

    // MARK: The end

    /// Lets every connection finish the commands that it has received; further input is not read.
    func drain(_ promise: EventLoopPromise<Void>) {
      isDraining = true
      drained.append(promise)
      for connection in connections.values { connection.drain() }
      if connections.isEmpty { finishDraining() }
    }

    /// Closes the remaining connections.
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
      let index = 2 * command.rawValue + (isError ? 1 : 0)
      tally[index] += number
      tallied |= 1 << UInt64(index)
    }

    func refuse(_ refusal: Refusal) { context.metrics.count(refusal: refusal, of: .resp) }

    /// Adds the counts to the shared metrics.
    func publishCounts() {
      let metrics = context.metrics
      while tallied != 0 {
        let index = tallied.trailingZeroBitCount
        counters[index].add(tally[index])
        tally[index] = 0
        tallied &= tallied - 1
      }
      if receivedBytes > 0 { metrics.count(received: receivedBytes, over: .resp) }
      if sentBytes > 0 { metrics.count(sent: sentBytes, over: .resp) }
      metrics.countLookups(found: keyspace.found, missing: keyspace.missed)
      (receivedBytes, sentBytes, keyspace.found, keyspace.missed) = (0, 0, 0, 0)
    }
  }
#endif
