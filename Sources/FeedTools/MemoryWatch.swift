import CFeedTools
import Dispatch
import Synchronization

/// Measures the anonymous memory of this process every ten milliseconds, so that short peaks are
/// seen. Measuring more often would use a noticeable share of a processor.
package final class MemoryWatch {
  private let memory: Sampled
  private let timer: any DispatchSourceTimer

  // Shared with the timer's handler, which must not retain the watch itself.
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

  /// The maximum number of bytes seen so far, including those in use now.
  package var peak: Int {
    memory.value.withLock { memory in
      memory.sample()
      return memory.peak
    }
  }

  /// Returns the memory of huge records to the system when it is freed. A program calls it once, at
  /// its start.
  package static func returnLargeBlocks(from size: Int = 1 << 20) {
    feedtools_return_large_blocks(size)
  }

  /// Makes all threads share one allocator arena. A program calls it before it starts threads.
  package static func shareMemory() { feedtools_share_memory() }
}
