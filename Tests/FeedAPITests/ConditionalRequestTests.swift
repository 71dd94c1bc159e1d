#if Remote
  import FeedAPI
  import FeedFeature
  import FeedSchema
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("A request with validators")
  struct ConditionalRequestTests {
    private static let tag = #"W/"one""#
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test("gets the feed with its validators, then no feed while it has not changed")
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

    @Test("updates its validators from a 304 whose tag matches by weak comparison")
    func newerDate() async throws {
      try await withServer { _ in
        ServedResponse(
          304, fields: [("ETag", #""one""#), ("Last-Modified", "Mon, 07 Nov 1994 08:49:37 GMT")])
      } _: { server, client in
        let kept = ResponseValidators(entityTag: Self.tag, lastModified: Self.date)
        let answer = try await RemoteFeedLoader<University>(url: server.url, client: client)
          .load(ifChangedSince: kept)
        #expect(answer.content == nil)
        #expect(
          answer.metadata.validators
            == ResponseValidators(
              entityTag: #""one""#, lastModified: "Mon, 07 Nov 1994 08:49:37 GMT"))
      }
    }

    @Test("ignores the tag of a 304 if it has sent none")
    func tagWithoutFeed() async throws {
      try await withServer { _ in
        ServedResponse(304, fields: [("ETag", #""two""#), ("Last-Modified", Self.date)])
      } _: { server, client in
        let kept = ResponseValidators(lastModified: Self.date)
        let answer = try await RemoteFeedLoader<University>(url: server.url, client: client)
          .load(ifChangedSince: kept)
        #expect(answer.content == nil)
        #expect(answer.metadata.validators == kept)
      }
    }

    @Test(
      "is repeated without its validators after a 304 with different ones",
      arguments: [
        (ResponseValidators(entityTag: tag, lastModified: date), ("ETag", #""two""#)),
        (ResponseValidators(entityTag: tag), ("ETag", #"W/"two""#)),
        (
          ResponseValidators(lastModified: date),
          ("Last-Modified", "Sat, 05 Nov 1994 08:49:37 GMT")
        ),
      ])
    func otherFeed(kept: ResponseValidators, told: (String, String)) async throws {
      try await withServer { request in
        let isConditional = ["if-none-match", "if-modified-since"].contains {
          request.fields[$0] != nil
        }
        return isConditional
          ? ServedResponse(304, fields: [told])
          : ServedResponse(fields: [told], text: Payloads.universities)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        let answer = try await loader.load(ifChangedSince: kept)
        #expect(answer.content == Payloads.universityModels)
        #expect(server.requests.count == 2)
        // The validators now belong to the feed that was delivered with them.
        let again = try await loader.load(ifChangedSince: answer.metadata.validators)
        #expect(again.content == nil)
        #expect(server.requests.count == 3)
      }
    }

    @Test("rejects a 304 without validators from another URL as invalid data")
    func redirected() async throws {
      try await withServer { request in
        guard request.path == "/moved" else { return .redirect(to: "/moved") }
        return request.fields["if-modified-since"] != nil
          ? ServedResponse(304) : ServedResponse(text: "closed for today")
      } _: { server, client in
        let kept = ResponseValidators(lastModified: Self.date)
        let moved = RemoteFeedLoader<University>(url: server.url("/feed"), client: client)
        let error = await remoteError { _ = try await moved.load(ifChangedSince: kept) }
        #expect(error?.kind == .invalidData)
        // A name and a password in a URL do not make it another resource.
        let text = server.url("/moved").absoluteString.replacing("http://", with: "http://ana:1@")
        let named = RemoteFeedLoader<University>(url: Payloads.url(text), client: client)
        let answer = try await named.load(ifChangedSince: kept)
        #expect(answer.content == nil)
      }
    }

    @Test("never has * as its tag")
    func anyTag() async throws {
      try await withServer { _ in
        ServedResponse(fields: [("ETag", "*")], text: Payloads.universities)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        let answer = try await loader.load(ifChangedSince: ResponseValidators())
        #expect(answer.metadata.validators.isEmpty)
      }
    }

    @Test("is the only request that may be answered with 304")
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
