#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import TestSupport
  import Testing

  @Suite("The file of a Unix socket", .timeLimit(.minutes(2)))
  struct SocketPermissionTests {
    @Test("has the configured mode and group", arguments: [0o600, 0o660, 0o666] as [UInt16])
    func permissions(mode: UInt16) async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/http"
      var configuration = ServerConfiguration()
      configuration.socketPermissions = SocketPermissions(mode: mode, group: getegid())
      try await TestServer.with(.universities(1), at: .unix(path: path), configuration) { server in
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == Int(mode))
        #expect(attributes[.groupOwnerAccountID] as? Int == Int(getegid()))
        #expect(try await server.get("/feeds").status == 200)
      }
    }

    @Test("is removed if the group cannot be set", .enabled(if: geteuid() != 0, "root may set any"))
    func foreignGroup() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/http"
      var configuration = ServerConfiguration()
      configuration.socketPermissions = SocketPermissions(group: 0)
      let error = await #expect(throws: (any Error).self) {
        try await TestServer.with(.universities(1), at: .unix(path: path), configuration) { _ in }
      }
      #expect("\(try #require(error))".contains("the group or the mode of the socket"))
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
#endif
