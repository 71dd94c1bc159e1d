import CFeedTools
import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The anonymous memory of this process, sampled on request.
///
/// On Linux it is `RssAnon` of `/proc/self/status`: the memory that the process itself fills,
/// without pages of mapped files, which the kernel can drop at any time. The kernel keeps no peak
/// of it, so the peak is that of the samples. On macOS it is the physical footprint with its true
/// peak.
package struct ProcessMemory: Hashable, Sendable {
  /// The bytes of the last sample; 0 before the first.
  package private(set) var current = 0
  /// The maximum bytes of any sample.
  package private(set) var peak = 0

  package init() {}

  /// Takes a sample, which costs some 20 µs. It suits every few megabytes of input, not every
  /// record. If the system reports nothing, both values stay.
  package mutating func sample() {
    guard let measured = Self.measure() else { return }
    current = measured.current
    peak = max(peak, measured.peak)
  }

  #if canImport(Darwin)
    private static func measure() -> (current: Int, peak: Int)? {
      var usage = rusage_info_v4()
      let status = withUnsafeMutablePointer(to: &usage) { pointer in
        // The C function accepts any version of the structure through one pointer type.
        pointer.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) { rebound in
          proc_pid_rusage(getpid(), RUSAGE_INFO_V4, rebound)
        }
      }
      guard status == 0 else { return nil }
      return (
        Int(clamping: usage.ri_phys_footprint), Int(clamping: usage.ri_lifetime_max_phys_footprint)
      )
    }
  #else
    private static func measure() -> (current: Int, peak: Int)? {
      let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return nil }
      return anonymousBytes(inStatus: buffer[..<count]).map { ($0, $0) }
    }
  #endif

  /// The value of the line `RssAnon:     1234 kB` in bytes.
  static func anonymousBytes(inStatus status: ArraySlice<UInt8>) -> Int? {
    for line in status.split(separator: 0x0A) where line.starts(with: "RssAnon:".utf8) {
      var kilobytes: Int?
      for byte in line.dropFirst("RssAnon:".utf8.count) {
        switch byte {
        case 0x30...0x39:
          let (product, overflow) = (kilobytes ?? 0).multipliedReportingOverflow(by: 10)
          guard !overflow else { return nil }
          kilobytes = product + Int(byte - 0x30)
        case 0x20, 0x09:
          guard kilobytes == nil else { return kilobytes.map { $0 * 1_024 } }
        default:
          return nil
        }
      }
      return kilobytes.map { $0 * 1_024 }
    }
    return nil
  }
}

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

/// How a program ends when it reads a damaged memory map.
package enum DamagedStore {
  /// Makes SIGSEGV, SIGBUS and SIGABRT end the process with one line on standard error and a
  /// status.
  ///
  /// - Parameter line: without a line feed
  package static func endProcess(saying line: String, status: Int32) {
    _ = feedtools_end_on_damage(line, status)
  }
}
