import CFeedScan
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Measures the two scanners that every byte passes before YAJL, each alone. The input validation
/// checks what YAJL does not, and the splitter finds where records begin and end.
struct ScanBenchmark {
  /// Bytes scanned per second, in 10^9.
  struct Result {
    var inputValidation = 0.0
    var splitter = 0.0
  }

  private static let chunk = 1 << 20
  private static let slice = 64 << 10

  let path: String

  /// The best of several passes over the file, in chunks of the parser's size. The time of reading
  /// does not count.
  func run(rounds: Int) -> Result {
    var best = Result()
    for _ in 0..<rounds {
      guard let pass = pass() else { return best }
      best.inputValidation = max(best.inputValidation, pass.inputValidation)
      best.splitter = max(best.splitter, pass.splitter)
    }
    return best
  }

  private func pass() -> Result? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 4096)
    defer { bytes.deallocate() }
    var (count, validationSeconds, splitSeconds) = (0, 0.0, 0.0)
    var splitter = feedscan_splitter()
    while true {
      let length = read(descriptor, bytes.baseAddress, bytes.count)
      guard length > 0 else { break }
      let chunk = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<length])
      validationSeconds += ParseBenchmark.seconds { Self.validateInput(chunk) }
      splitSeconds += ParseBenchmark.seconds { Self.split(chunk, &splitter) }
      count += length
    }
    guard count > 0 else { return nil }
    return Result(
      inputValidation: Double(count) / validationSeconds / 1e9,
      splitter: Double(count) / splitSeconds / 1e9)
  }

  private static func validateInput(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    let kernel = feedscan_best_kernel()
    var offset = 0
    while offset < bytes.count {
      let result = feedscan_validate(start + offset, min(slice, bytes.count - offset), kernel)
      // Continues at a sequence that the end of the slice cuts. Advances by at least one byte,
      // because a sequence that the end of the chunk cuts has no rest.
      offset += max(result.clean, 1)
    }
  }

  private static func split(
    _ bytes: UnsafeBufferPointer<UInt8>, _ splitter: inout feedscan_splitter
  ) {
    guard let start = bytes.baseAddress else { return }
    let kernel = feedscan_best_kernel()
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4096) { marks in
      var offset = 0
      while offset < bytes.count {
        let result = feedscan_split(
          &splitter, start, offset, min(offset + slice, bytes.count), marks.baseAddress,
          marks.count,
          kernel)
        offset = result.stopped
        // Skips a bracket that closes the document itself; the next one closes one level lower.
        if result.closed { offset += 1 }
      }
    }
  }
}
