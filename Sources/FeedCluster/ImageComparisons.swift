#if Cluster
  import FeedStorage
  import Threading

  /// When the copies of images were compared with the cluster, and whether the cluster replies.
  ///
  /// One thread at a time compares an image. While the cluster does not reply, copies are used and
  /// no requests are sent, for a time that grows with each failure.
  final class ImageComparisons: Sendable {
    /// How long a copy is used without another comparison, and how long the error of an image that
    /// is damaged or too large is repeated.
    static let freshness = Duration.seconds(60)
    static let retryDelays = Duration.seconds(1)...Duration.seconds(30)
    static let maximumCount = 16_384

    private struct State {
      /// The images that are being compared, and whether they have changed meanwhile.
      var running: [UInt128: Bool] = [:]
      var outcomes: [UInt128: Outcome] = [:]
      /// The last failure of the cluster to reply.
      var absence: Outcome?
      var retryDelay = ImageComparisons.retryDelays.lowerBound

      /// The last outcome, if it is still valid.
      func outcome(of image: UInt128) -> Outcome? {
        if let outcome = outcomes[image], outcome.counts { return outcome }
        if let absence, absence.counts { return absence }
        return nil
      }

      mutating func add(_ outcome: Outcome, _ image: UInt128) {
        if outcomes.count >= ImageComparisons.maximumCount {
          outcomes = outcomes.filter { $0.value.counts }
        }
        if outcomes.count >= ImageComparisons.maximumCount {
          // Hash tables have a random order, so any are as good as the oldest.
          let removed = outcomes.keys.prefix(ImageComparisons.maximumCount / 4)
          for image in Array(removed) { outcomes[image] = nil }
        }
        outcomes[image] = outcome
      }

      mutating func note(_ failure: StoreError?) {
        guard let failure else {
          absence = nil
          retryDelay = ImageComparisons.retryDelays.lowerBound
          return
        }
        guard failure.code == .unreachable else { return }
        absence = Outcome(failure: failure, end: .now + retryDelay)
        retryDelay = min(retryDelay * 2, ImageComparisons.retryDelays.upperBound)
      }
    }

    private struct Outcome {
      let failure: StoreError?
      /// The time until which the outcome is valid.
      let end: ContinuousClock.Instant

      var counts: Bool { ContinuousClock.now < end }
    }

    private enum Step {
      case compare
      case use(StoreError?)
    }

    private let state = Monitor(State())

    /// Why no requests are sent at present; nil if they are sent.
    var absence: StoreError? {
      state.read { state in state.absence.flatMap { $0.counts ? $0.failure : nil } }
    }

    /// Whether ``compare(_:hasCopy:_:)`` would ask the cluster.
    func isStale(_ url: String) -> Bool {
      let image = Self.hash(url)
      return state.read { $0.outcome(of: image) == nil }
    }

    /// Lets the next read compare an image that has changed.
    func forget(_ url: String) {
      let image = Self.hash(url)
      state.withLock { state in
        state.outcomes[image] = nil
        if state.running[image] != nil { state.running[image] = true }
      }
    }

    /// Lets the copy of an image be used for a while.
    func keep(_ url: String) {
      let image = Self.hash(url)
      state.withLock { $0.add(Outcome(failure: nil, end: .now + Self.freshness), image) }
    }

    /// Notes that the cluster did not reply.
    func note(_ failure: StoreError) { state.withLock { $0.note(failure) } }

    /// Compares an image by `body`, unless that was done a short time ago. With a copy it does not
    /// wait for another thread that compares the image.
    ///
    /// - Throws: the error of `body`, also a short time after it was thrown
    func compare(
      _ url: String, hasCopy: Bool, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
      let image = Self.hash(url)
      let step: Step = state.wait { state in
        if let outcome = state.outcome(of: image) { return .use(outcome.failure) }
        guard state.running[image] == nil else { return hasCopy ? .use(nil) : nil }
        state.running[image] = false
        return .compare
      }
      if case .use(let failure) = step {
        if let failure { throw failure }
        return
      }
      var failure: StoreError?
      do throws(StoreError) { try body() } catch { failure = error }
      state.withLock { state in
        let hasChanged = state.running.removeValue(forKey: image) ?? true
        state.note(failure)
        guard !hasChanged, failure?.code != .unreachable else { return }
        state.add(Outcome(failure: failure, end: .now + Self.delay(after: failure)), image)
      }
      if let failure { throw failure }
    }

    /// Other failures, such as a busy near store, are temporary. Their errors are repeated for 1 s.
    private static func delay(after failure: StoreError?) -> Duration {
      switch failure?.code {
      case nil, .damaged, .tooLarge: freshness
      default: retryDelays.lowerBound
      }
    }

    private static func hash(_ url: String) -> UInt128 { ImageStore.hash(of: url) }
  }
#endif
