import Synchronization

/// Runs saves in the background, one after another in the order of the loads that caused them. The
/// feed delivered last is then the one that is stored.
final class BackgroundSaves: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)
  private let onError: @Sendable (any Error) -> Void

  init(onError: @escaping @Sendable (any Error) -> Void) { self.onError = onError }

  func add(_ save: @escaping @Sendable () async throws -> Void) {
    last.withLock { last in
      last = Task { [previous = last, onError] in
        await previous?.value
        do { try await save() } catch { onError(error) }
      }
    }
  }

  /// Returns when all added saves are done.
  func finish() async {
    let last = last.withLock { $0 }
    await last?.value
  }
}
