#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The seconds in which this thread ran: whoever else uses the machine delays it, but work that
/// waits for nothing takes as many.
enum ThreadTime {
  static func measure<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> (value: Value, seconds: Double) {
    let start = now
    let value = try body()
    return (value, now - start)
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
