#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import Testing

  @testable import FeedServer

  @Suite("The content of a feed is escaped")
  struct PageSafetyTests {
    private static let hostile =
      #"</p><script>alert("1")</script><img src=x onerror='alert(2)'>&{{x}}"#

    private func pages() async throws -> [PageSeen] {
      let site = try PageSite()
      let text = Self.hostile
      try site.save(
        [Sample.university(text, country: text, state: text, pages: [text])], as: "universities")
      var image = try Sample.image(1, description: text, location: text)
      image.url = try #require(URL(string: "https://example.com/%22%3E%3Cscript%3E'"))
      try site.save([image], as: "feed")
      var article = try Sample.article(text)
      article.source.name = text
      article.author = text
      article.description = text
      article.content = text
      try site.save([article], as: "news")
      var character = try Sample.character(text)
      character.status = text
      character.species = text
      try site.save([character], as: "characters")
      try site.save(
        [ImageComment(id: image.id, message: text, createdAt: PageSite.now, username: text)],
        as: "comments-\(image.id.uuidString)")
      var pages: [PageSeen] = []
      for name in try site.database.feeds().map(\.name) {
        let list = try await site.get("/page/\(name)")
        pages.append(list)
        let link = try #require(
          try list.attributes("href").first { $0.hasPrefix("/page/\(name)/record") })
        pages.append(try await site.get(link))
      }
      return pages
    }

    @Test("no page has an element, an attribute or a template tag from a feed")
    func escapes() async throws {
      let pages = try await pages()
      #expect(pages.count == 10)
      for page in pages {
        #expect(page.status == 200)
        #expect(page.html.contains("&lt;script&gt;alert(&quot;1&quot;)"))
        #expect(page.text.contains("{{x}}"))
        #expect(page.html.ranges(of: "<script").count == 1)
        #expect(!page.html.contains("onerror='"))
        #expect(!page.html.contains("<img src=x"))
      }
    }

    @Test("a page loads and runs only resources of this server, and nothing inline")
    func policy() async throws {
      for page in try await pages() {
        let policy = try #require(page[.contentSecurityPolicy])
        #expect(policy.hasPrefix("default-src 'self';"))
        #expect(!policy.contains("unsafe"))
        #expect(page[.xContentTypeOptions] == "nosniff")
        #expect(page.html.ranges(of: #"<script type="module" src="/assets/"#).count == 1)
        #expect(!page.html.contains("<style") && !page.html.contains(" style="))
        let bare = page.html.replacing(/"[^"]*"/, with: "")
        #expect(!bare.contains(/<[^>]* on[a-z]+=/))
      }
    }

    @Test("no template has a tag that does not escape")
    func templates() throws {
      for template in [
        PackageResources.layout_mustache, PackageResources.alert_mustache,
        PackageResources.picture_mustache, PackageResources.link_mustache,
        PackageResources.item_mustache, PackageResources.home_mustache,
        PackageResources.list_mustache, PackageResources.detail_mustache,
        PackageResources.message_mustache, PackageResources.facet_mustache,
        PackageResources.pager_mustache,
      ] {
        let text = String(decoding: template, as: UTF8.self)
        #expect(!text.contains("{{{") && !text.contains("{{&") && !text.contains("{{%"))
      }
    }
  }

  @Suite("Pages in the cache of a browser")
  struct PageCachingTests {
    @Test("are answered with 304 until they change")
    func unchanged() async throws {
      let site = try PageSite()
      try site.save([Sample.university("A")], as: "universities")
      for path in ["/", "/page/universities", "/page/universities/record?key=A"] {
        let page = try await site.get(path)
        let tag = try #require(page[.eTag])
        #expect(page[.cacheControl] == "no-cache")
        let again = try await site.get(path, ifNoneMatch: "\"other\", \(tag)")
        #expect(again.status == 304)
        #expect(again.html.isEmpty)
        #expect(again[.eTag] == tag)
        #expect(again[.vary] == "Accept-Language, Accept-Encoding")
        #expect(try await site.get(path, languages: "el", ifNoneMatch: tag).status == 200)
      }
      let tag = try #require(try await site.get("/page/universities")[.eTag])
      try site.save([Sample.university("B")], as: "universities")
      #expect(try await site.get("/page/universities", ifNoneMatch: tag).status == 200)
    }

    @Test("have another entity tag each minute, since they state ages")
    func minute() async throws {
      let (early, late) = (try PageSite(), try PageSite(now: PageSite.now + 60))
      let tags = [try await early.get("/")[.eTag], try await late.get("/")[.eTag]]
      #expect(tags[0] != tags[1])
    }

    @Test("load assets whose addresses contain a checksum of their content")
    func assets() async throws {
      let page = try await PageSite().get("/")
      let addresses = try (page.attributes("href") + page.attributes("src"))
        .filter { $0.hasPrefix("/assets/") }
      #expect(addresses.count == 3)
      for address in addresses {
        #expect(address.contains(/-[0-9a-f]{16}\.(css|mjs|svg)$/))
        let asset = PageSeen(HTTPAnswer(try #require(PageAssets.all.asset(at: address))))
        #expect(asset.status == 200)
        #expect(asset[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(!asset.html.isEmpty)
      }
      #expect(PageAssets.all.asset(at: "/assets/app.mjs") == nil)
    }
  }
#endif
