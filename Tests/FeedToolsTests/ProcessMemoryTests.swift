import Testing

@testable import FeedTools

@Suite("Process memory", .serialized)
struct ProcessMemoryTests {
  // Other tests fill and free memory of this process meanwhile, but not at each attempt so much.
  @Test("memory that the process fills is counted, and the peak outlives it")
  func peak() {
    #expect((0..<50).contains { _ in isCounted(128 << 20) })
  }

  private func isCounted(_ size: Int) -> Bool {
    var memory = ProcessMemory()
    guard memory.current == 0 else { return false }
    memory.sample()
    let before = memory.current
    guard before > 1_000_000 else { return false }
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4_096)
    block.initializeMemory(as: UInt8.self, repeating: 0xA5, count: size)
    memory.sample()
    block.deallocate()
    let peak = memory.peak
    memory.sample()
    return peak >= before + size / 2 && memory.peak == peak && memory.current <= peak - size / 2
  }

  #if !canImport(Darwin)
    @Test("the anonymous memory is read from its own line, in kilobytes")
    func statusLine() {
      let status = "Name:\tRssAnon: 1 kB\nVmRSS:\t 900 kB\nRssAnon:\t    1234 kB\nRssFile:\t 5 kB\n"
      #expect(ProcessMemory.anonymousBytes(inStatus: Array(status.utf8)[...]) == 1_234 * 1_024)
    }

    @Test(
      "a status without the line, or with an odd one, tells nothing",
      arguments: ["", "VmRSS:\t 900 kB\n", "RssAnon:\t x kB\n", "RssAnon: \n"])
    func oddStatus(status: String) {
      #expect(ProcessMemory.anonymousBytes(inStatus: Array(status.utf8)[...]) == nil)
    }
  #endif
}
