import TestSupport
import Testing

@Suite struct ImageSoakTests {
  @Test("20 caps of mixed sizes later the file is bounded, memory too, and the hits are a clock's")
  func soak() throws {
    // Other tests of this process take memory at the same time; what is written is 1.3 GB.
    let figures = try ImageSoak.run(
      capBytes: 64 << 20, multiple: 20, seed: 5, inMemory: true, memoryBound: 1 << 30)
    #expect(!figures.isEmpty)
  }
}
