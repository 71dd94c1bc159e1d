#if Remote
  import FeedAPI
  import FeedFeature
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite("A service with TLS", .timeLimit(.minutes(10)))
  struct SecureTransportTests {
    /// Options that trust the certificate of the loopback server, in a file of this directory.
    private func trusting(_ directory: TemporaryDirectory) throws -> AsyncHTTPTransport.Options {
      let path = directory.path + "/certificate.pem"
      try Data(LoopbackCertificate.pem.utf8).write(to: URL(filePath: path))
      var options = AsyncHTTPTransport.Options()
      options.trustedCertificates = path
      return options
    }

    @Test("delivers a feed if its certificate is trusted")
    func trusted() async throws {
      let directory = try TemporaryDirectory(inMemory: true)
      try await withServer(trusting(directory), isSecure: true) { _ in
        ServedResponse(text: Payloads.universities)
      } _: { server, client in
        #expect(server.url.scheme == "https")
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        for _ in 1...2 {
          let universities = try await loader.load()
          #expect(universities == Payloads.universityModels)
        }
      }
    }

    @Test("causes a connectivity error and gets no request if its certificate is not trusted")
    func untrusted() async throws {
      try await withServer(isSecure: true) { _ in
        ServedResponse(text: Payloads.universities)
      } _: { server, client in
        let error = await remoteError {
          _ = try await RemoteFeedLoader<University>(url: server.url, client: client).load()
        }
        #expect(error?.kind == .connectivity)
        #expect(
          error?.description.contains("the certificate of the service is not trusted") == true)
        #expect(server.requests.isEmpty)
      }
    }
  }
#endif
