import CFeedTools
import Dispatch
import Synchronization

/// Measures the anonymous memory of this process every ten milliseconds, so that its peak is
/// seen also where it is short; oftener would take a noticeable share of a processor.
package final class MemoryWatch {
  private let memory: Sampled
  private let timer: any DispatchSourceTimer

  // Shared with the timer's handler, which must not keep the watch itself alive.
  private final class Sampled: Sendable {
    let value = Mutex(ProcessMemory())
  }

  package init() {
    let memory = Sampled()
    self.memory = memory
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "feedcore.memory"))
    timer.schedule(deadline: .now(), repeating: .milliseconds(10))
    timer.setEventHandler { memory.value.withLock { $0.sample() } }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// The most bytes seen so far, those in use now included.
  package var peak: Int {
    memory.value.withLock { memory in
      memory.sample()
      return memory.peak
    }
  }

  /// Keeps the memory of huge records from staying with the process. For programs, once, at
  /// their start.
  package static func returnLargeBlocks(from size: Int = 1 << 20) {
    feedtools_return_large_blocks(size)
  }

  /// Has all threads share one part of the allocator's memory. For programs, before they start any.
  package static func shareMemory() { feedtools_share_memory() }
}
