#if Server
  import Synchronization

  /// The limit of shared bytes. It counts files, of which a process may open a limited number, and
  /// their bytes. These are memory of the system, which does not count as the process's own.
  final class LentBytesBudget: Sendable {
    private struct Lent {
      var files = 0
      var byteCount = 0
      var isClosed = false
    }

    private let files: Int
    private let byteCount: Int
    private let lent = Mutex(Lent())

    init(files: Int, byteCount: Int = 64 << 20) {
      self.files = files
      self.byteCount = byteCount
    }

    /// - Parameter isRenewal: whether the bytes replace shared ones. A quarter of the budget is
    ///   reserved for renewals; otherwise none would succeed once the budget is exhausted.
    func take(_ byteCount: Int, isRenewal: Bool) -> Bool {
      lent.withLock { lent in
        let share = isRenewal ? 4 : 3
        guard !lent.isClosed, lent.files + 1 <= files * share / 4,
          lent.byteCount + byteCount <= self.byteCount * share / 4
        else { return false }
        lent.files += 1
        lent.byteCount += byteCount
        return true
      }
    }

    /// Stops sharing: the system has no such files.
    func close() { lent.withLock { lent in lent.isClosed = true } }

    func giveBack(_ byteCount: Int) {
      lent.withLock { lent in
        lent.files -= 1
        lent.byteCount -= byteCount
      }
    }
  }
#endif
