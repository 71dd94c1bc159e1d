import Testing

@testable import FeedTools

@Suite("Process memory", .serialized)
struct ProcessMemoryTests {
  @Test("memory that the process fills is counted, and the peak remains")
  func peak() async {
    // In a separate process, because concurrent tests allocate and free memory too.
    await #expect(processExitsWith: .success) {
      var memory = ProcessMemory()
      #expect(memory.current == 0)
      memory.sample()
      let before = memory.current
      #expect(before > 1_000_000)

      let size = 128 << 20
      let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4_096)
      block.initializeMemory(as: UInt8.self, repeating: 0xA5, count: size)
      memory.sample()
      block.deallocate()
      #expect(memory.peak >= before + size / 2)

      let peak = memory.peak
      memory.sample()
      #expect(memory.peak == peak)
      #expect(memory.current <= peak - size / 2)
    }
  }

  #if !canImport(Darwin)
    @Test("the anonymous memory is read from its line, in kilobytes")
    func statusLine() {
      let status = "Name:\tRssAnon: 1 kB\nVmRSS:\t 900 kB\nRssAnon:\t    1234 kB\nRssFile:\t 5 kB\n"
      #expect(ProcessMemory.anonymousBytes(inStatus: Array(status.utf8)[...]) == 1_234 * 1_024)
    }

    @Test(
      "a status without the line, or with a malformed one, gives nothing",
      arguments: ["", "VmRSS:\t 900 kB\n", "RssAnon:\t x kB\n", "RssAnon: \n"])
    func oddStatus(status: String) {
      #expect(ProcessMemory.anonymousBytes(inStatus: Array(status.utf8)[...]) == nil)
    }
  #endif
}
