#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processor time of this thread in seconds. Other load on the machine does not increase it,
/// unlike the elapsed time.
enum ThreadTime {
  static func measure<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> (value: Value, seconds: Double) {
    try secondsOf(CLOCK_THREAD_CPUTIME_ID, body)
  }
}

/// The processor time of all threads of this process, in seconds.
enum ProcessTime {
  static func measure<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> (value: Value, seconds: Double) {
    try secondsOf(CLOCK_PROCESS_CPUTIME_ID, body)
  }
}

private func secondsOf<Value, Failure: Error>(
  _ clock: clockid_t, _ body: () throws(Failure) -> Value
) throws(Failure) -> (value: Value, seconds: Double) {
  func now() -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  let value = try body()
  return (value, now() - start)
}
