import Threading

/// Waits for work with a time limit.
enum Deadline {
  /// The result of work that is cancelled when the caller stops waiting; nil if it is not ready in
  /// time.
  static func value<Value: Sendable>(
    within limit: Duration, of body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let work = SharedTask(body)
    defer { work.cancel() }
    return try await work.value(within: limit)
  }
}
