/// Waiting for work no longer than one wants to.
enum Deadline {
  /// The outcome of work that is given up when nobody waits for it any more; nil where it is not
  /// there in time.
  static func value<Value: Sendable>(
    within limit: Duration, of body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let work = SharedWork(body)
    defer { work.cancel() }
    return try await work.value(within: limit)
  }
}
