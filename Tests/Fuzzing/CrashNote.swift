import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reports which documents were in progress when the process crashed.
enum CrashNote {
  private struct Watched {
    var workers: [Worker] = []
    var seed: UInt64 = 0
  }

  private static let watched = Mutex(Watched())

  static func install(watching workers: [Worker], seed: UInt64) {
    watched.withLock { $0 = Watched(workers: workers, seed: seed) }
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      signal(number) { CrashNote.write(number: $0) }
    }
  }

  // The process ends anyway, so the risk of allocating in a signal handler is acceptable.
  private static func write(number: CInt) {
    signal(number, SIG_DFL)
    watched.withLockIfAvailable { watched in
      for worker in watched.workers {
        let document = worker.document.load(ordering: .relaxed)
        guard document != Worker.idle else { continue }
        print(
          "CRASH (signal \(number)) with a worker at document \(document) of seed "
            + "\(watched.seed): --seed \(watched.seed) --first \(document) --documents 1")
      }
    }
    fflush(nil)
    raise(number)
  }
}
