import Threading

/// Tasks wait at a gate until it is opened; it stays open.
package final class Gate: Sendable {
  private let isOpen = Monitor(false)

  package init() {}

  package func open() { isOpen.withLock { isOpen in isOpen = true } }

  /// Returns when the gate is open. If the task is cancelled, the gate opens for all tasks.
  package func wait() async {
    await withTaskCancellationHandler {
      await isOpen.suspend { isOpen in isOpen ? () : nil }
    } onCancel: {
      open()
    }
  }
}
