#if Server
  import Synchronization

  /// How much may be lent at once: files, of which a process may have so many open, and the bytes in
  /// them, which are the system's memory and not told with the process' own.
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

    /// - Parameter isRenewal: whether it takes the place of what is lent already. Some room is left
    ///   to those: else none could be made anew once all is lent.
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

    /// Nothing is lent any more: the system has no such files.
    func close() { lent.withLock { lent in lent.isClosed = true } }

    func giveBack(_ byteCount: Int) {
      lent.withLock { lent in
        lent.files -= 1
        lent.byteCount -= byteCount
      }
    }
  }
#endif
