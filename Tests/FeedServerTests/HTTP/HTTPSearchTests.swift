#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import Synchronization
  import Testing

  @Suite("A search over HTTP", .timeLimit(.minutes(5)))
  struct HTTPSearchTests {
    @Test("that runs long without a match does not block other responses")
    func turns() async throws {
      try await TestServer.with(.universities(9_000)) { server in
        let target = "/search?name=nothing+like+it"
        let ended = Count()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          for _ in 0..<24 {
            tasks.addTask {
              let answer = try await server.get(target)
              ended.increase()
              #expect(answer.text == "[]")
            }
          }
          let all = 24 * TestServer.request(target).utf8.count
          while server.metrics.receivedBytes(.http) < all { await Task.yield() }
          let answer = try await server.get("/feeds/universities/records/U1?all=1")
          #expect(answer.status == 200)
          // If the searches ran to their end, eight at a time, most would have ended by then.
          #expect(ended.value < 8)
          try await tasks.waitForAll()
        }
      }
    }

    @Test("returns all matches from the start of the feed to its end")
    func found() async throws {
      try await TestServer.with(.universities(10_000)) { server in
        for (name, numbers) in [
          ("u9999", [9_999]), ("U999", [999] + Array(9_990...9_999)), ("U1000", [1_000]),
        ] {
          let answer = try await server.get("/search?name=\(name)")
          let found = try JSONDecoder().decode([University].self, from: Data(answer.body))
          #expect(found.map(\.name) == numbers.map { "U\($0)" })
        }
      }
    }

    #if os(Linux)
      @Test("runs at a lower priority than other threads of the server")
      func priority() async throws {
        try await TestServer.with(.universities(10)) { server in
          _ = try await server.get("/search?name=nothing+like+it")
        }
        // The name before the parenthesis may contain spaces.
        func niceness(_ directory: String) -> Int? {
          let text = try? String(contentsOfFile: directory + "/stat", encoding: .utf8)
          let words = text?.split(separator: ")").last?.split(separator: " ") ?? []
          return words.count > 16 ? Int(words[16]) : nil
        }
        // The tests themselves may run at a lower priority.
        let own = try #require(niceness("/proc/self"))
        // A thread may end meanwhile.
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
          .compactMap { niceness("/proc/self/task/\($0)") }
        #expect(threads.contains { $0 >= max(own, 10) })
        #expect(threads.count { $0 == own } > 1)
      }
    #endif
  }

  private final class Count: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func increase() { count.add(1, ordering: .relaxed) }
  }
#endif
