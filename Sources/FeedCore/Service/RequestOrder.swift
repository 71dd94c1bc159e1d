import Synchronization

/// The order in which requests for one thing were begun, for whoever keeps what they are answered
/// with: of two that are under way at once the younger one has the later answer, whichever comes
/// first.
final class RequestOrder<Key: Hashable & Sendable>: Sendable {
  /// The requests for one thing, as long as one of them is under way.
  private struct Line {
    var count = 0
    var places = 0
    let kept = LatestKept()
  }

  /// The number of the youngest request whose answer is kept; locked while one is being kept.
  private final class LatestKept: Sendable {
    let number = Mutex(0)
  }

  /// The place of one request, which it has until nobody knows of it any more.
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

    /// Calls `keep`, unless the answer to a younger request is kept already. One is called at a time,
    /// so that this may block its thread for as long as another one takes.
    func keep<Failure: Error>(_ keep: () throws(Failure) -> Void) throws(Failure) {
      try kept.number.withLock { (latest) throws(Failure) in
        guard number > latest else { return }
        try keep()
        latest = number
      }
    }
  }

  private let lines = Mutex<[Key: Line]>([:])

  /// The place of a request that is about to begin.
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
