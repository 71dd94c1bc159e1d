#if Remote
  import FeedAPI
  import FeedFeature
  import FeedPayloads
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("A request with validators")
  struct ConditionalRequestTests {
    private static let tag = #"W/"one""#
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test("gets the feed as it is, with validators for the next request, and then no feed")
    func notModified() async throws {
      try await withServer { request in
        let fields = [
          ("ETag", Self.tag), ("Last-Modified", Self.date), ("Cache-Control", "max-age=60"),
        ]
        let isKnown =
          request.fields["if-none-match"] == Self.tag
          && request.fields["if-modified-since"] == Self.date
        return isKnown
          ? ServedResponse(304, fields: [("Cache-Control", "max-age=120")])
          : ServedResponse(fields: fields, text: Payloads.universities)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        let first = try await loader.load(ifChangedSince: ResponseValidators())
        #expect(first.content == Payloads.universityModels)
        #expect(
          first.metadata.validators
            == ResponseValidators(entityTag: Self.tag, lastModified: Self.date))
        #expect(first.metadata.remainingFreshness == 60)

        let second = try await loader.load(ifChangedSince: first.metadata.validators)
        guard case .notModified(let metadata) = second else {
          Issue.record("expected no new feed")
          return
        }
        #expect(metadata.validators == first.metadata.validators)
        #expect(metadata.remainingFreshness == 120)
        #expect(metadata.receivedAt >= first.metadata.receivedAt)
        #expect(server.requests[0].fields["if-none-match"] == nil)
      }
    }

    @Test("gets the new feed when it has changed")
    func modified() async throws {
      try await withServer { _ in
        ServedResponse(fields: [("ETag", #""two""#)], text: Payloads.universities)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        let answer = try await loader.load(ifChangedSince: ResponseValidators(entityTag: Self.tag))
        #expect(answer.content == Payloads.universityModels)
        #expect(answer.metadata.validators == ResponseValidators(entityTag: #""two""#))
      }
    }

    @Test("keeps a newer validator that comes without the feed")
    func newerValidator() async throws {
      try await withServer { _ in
        ServedResponse(304, fields: [("ETag", #""two""#)])
      } _: { server, client in
        let kept = ResponseValidators(entityTag: Self.tag, lastModified: Self.date)
        let answer = try await RemoteFeedLoader<University>(url: server.url, client: client)
          .load(ifChangedSince: kept)
        #expect(
          answer.metadata.validators
            == ResponseValidators(entityTag: #""two""#, lastModified: Self.date))
      }
    }

    @Test("is the only one that 304 is an answer to")
    func unasked() async throws {
      try await withServer { _ in
        ServedResponse(304)
      } _: { server, client in
        let error = await remoteError {
          _ = try await RemoteFeedLoader<University>(url: server.url, client: client)
            .load(ifChangedSince: ResponseValidators())
        }
        #expect(error?.cause == .status(304))
      }
    }
  }
#endif
