#if Server
  import Testing

  @testable import FeedServer

  @Suite("The limit of connections")
  struct FileLimitTests {
    @Test(
      "leaves room for the files of the store and for refused connections",
      arguments: [200, 1024, 20_000])
    func room(files: Int) {
      let connections = FileLimit.connections(of: 2, files: files)
      #expect(connections > 0)
      let shared = FileLimit.sharedResponses(files: files)
      #expect(2 * (connections + connections / 4) + shared < files - 64)
    }
  }
#endif
