import Synchronization
import Testing
import Threading

// The limit only ends a test that hangs. Other suites block threads of the pool, so each yield may
// take a tenth of a second.
@Suite("Tasks in order", .timeLimit(.minutes(10))) struct OrderedTasksTests {
  private final class Notes: Sendable {
    private let notes = Mutex<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
  }

  @Test("changes run one after another, even after a change that fails")
  func changes() async {
    struct Failure: Error {}
    let tasks = OrderedTasks()
    let notes = Notes()
    for number in 0..<12 {
      tasks.change {
        for _ in 0..<(12 - number) { await Task.yield() }
        notes.add("\(number)")
        if number % 3 == 0 { throw Failure() }
      }
    }
    await tasks.waitUntilIdle()
    #expect(notes.all == (0..<12).map { "\($0)" })
  }

  @Test("a read runs after the changes before it and before the change after it")
  func reads() async throws {
    let tasks = OrderedTasks()
    let notes = Notes()
    var reads: [Task<Void, any Error>] = []
    for number in 0..<8 {
      tasks.change {
        await Task.yield()
        notes.add("change \(number)")
      }
      reads.append(
        tasks.read {
          for _ in 0..<8 { await Task.yield() }
          notes.add("read \(number)")
        })
    }
    for read in reads { try await read.value }
    #expect(notes.all == (0..<8).flatMap { ["change \($0)", "read \($0)"] })
  }

  @Test("reads run concurrently")
  func together() async throws {
    let tasks = OrderedTasks()
    let gate = AsyncSemaphore(0)
    let first = tasks.read { try await gate.waitUnlessCancelled() }
    let second = tasks.read { gate.signal() }
    try await second.value
    try await first.value
  }
}
