#if Remote
  import FeedAPI
  import Foundation
  import LoopbackServer

  /// Runs a test with a server that gives the test's answers, and a client. Both are shut down
  /// after the test.
  func withServer(
    _ options: AsyncHTTPTransport.Options = .init(), isSecure: Bool = false,
    answer: @escaping LoopbackServer.Answer,
    _ body: (LoopbackServer, AsyncHTTPTransport) async throws -> Void
  ) async throws {
    let server = try await LoopbackServer(isSecure: isSecure, answer)
    let client = AsyncHTTPTransport(options)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(server, client))
    } catch {
      result = .failure(error)
    }
    await client.shutdown()
    await server.stop()
    try result.get()
  }

  /// The error of a call that is expected to throw; nil if it returns.
  func remoteError(_ body: () async throws -> Void) async -> RemoteError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? RemoteError
    }
  }

  extension AsyncHTTPTransport.Options {
    /// Options with the given timeouts. The defaults are too long to affect a test.
    static func timeouts(
      idle: Duration = .seconds(30), whole: Duration? = nil
    ) -> AsyncHTTPTransport.Options {
      var options = AsyncHTTPTransport.Options()
      options.timeouts = HTTPTimeouts(idle: idle, whole: whole)
      return options
    }
  }
#endif
