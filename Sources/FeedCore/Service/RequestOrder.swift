import Synchronization

/// The order in which requests for one thing began, for a caller that stores the answers. Of two
/// concurrent requests, the younger one has the later answer, whichever arrives first.
final class RequestOrder<Key: Hashable & Sendable>: Sendable {
  /// The requests for one key, while at least one is in progress.
  private struct Line {
    var count = 0
    var places = 0
    let kept = LatestKept()
  }

  /// The number of the youngest request whose answer is stored; locked while one is being stored.
  private final class LatestKept: Sendable {
    let number = Mutex(0)
  }

  /// The position of one request in the order. It is given up when the object is released.
  final class Place: Sendable {
    private let order: RequestOrder
    private let key: Key
    private let number: Int
    private let kept: LatestKept

    fileprivate init(_ order: RequestOrder, _ key: Key) {
      self.order = order
      self.key = key
      (number, kept) = order.enter(key)
    }

    deinit { order.leave(key) }

    /// Calls `keep`, unless the answer to a younger request is already stored. Calls are
    /// serialized, so a call may block its thread for as long as another one takes.
    func keep<Failure: Error>(_ keep: () throws(Failure) -> Void) throws(Failure) {
      try kept.number.withLock { (latest) throws(Failure) in
        guard number > latest else { return }
        try keep()
        latest = number
      }
    }
  }

  private let lines = Mutex<[Key: Line]>([:])

  /// The position of a request that is about to begin.
  func begin(_ key: Key) -> Place { Place(self, key) }

  private func enter(_ key: Key) -> (Int, LatestKept) {
    lines.withLock { lines in
      var line = lines[key] ?? Line()
      line.count += 1
      line.places += 1
      lines[key] = line
      return (line.count, line.kept)
    }
  }

  private func leave(_ key: Key) {
    lines.withLock { lines in
      lines[key]?.places -= 1
      if lines[key]?.places == 0 { lines[key] = nil }
    }
  }
}
