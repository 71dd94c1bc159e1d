#if Remote
  import FeedAPI
  import Foundation
  import LoopbackServer

  /// Runs a test against a server that answers as it is told, with a client that is shut down
  /// behind it.
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

  /// The error of a call that must not return; nil if it does.
  func remoteError(_ body: () async throws -> Void) async -> RemoteError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? RemoteError
    }
  }

  extension AsyncHTTPTransport.Options {
    /// Short enough for a test to wait for, long enough for what must not meet them.
    static func timeouts(
      idle: Duration = .seconds(30), whole: Duration? = nil
    ) -> AsyncHTTPTransport.Options {
      var options = AsyncHTTPTransport.Options()
      options.timeouts = HTTPTimeouts(idle: idle, whole: whole)
      return options
    }
  }
#endif
