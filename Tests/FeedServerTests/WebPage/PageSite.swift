#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import Logging
  import LoopbackServer
  import Testing

  @testable import FeedServer

  /// The pages of a private store.
  struct PageSite {
    let database: FeedDatabase
    private let pages: FeedPages

    /// Wednesday, 20 May 2020, 18:40 UTC. Tests with a service use the present time.
    static let now = Date(timeIntervalSince1970: 1_590_000_000)

    init(
      origins: [String: URL] = [:], policies: [String: CachePolicy] = [:],
      freshness: Duration = .zero, serviceDelay: Duration = .seconds(5),
      requestTimeout: Duration = .seconds(30), now: Date = Self.now,
      scans: PageScans = PageScans(waiting: 100)
    ) throws {
      database = try FeedDatabase.openPrivate()
      var configuration = ServerConfiguration()
      for (name, url) in origins { configuration.origins[try FeedName(name)] = url }
      for (name, policy) in policies { configuration.policies[try FeedName(name)] = policy }
      configuration.freshness = freshness
      configuration.minimumRefreshInterval = serviceDelay
      configuration.requestTimeout = requestTimeout
      configuration.logger.logLevel = .critical
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      pages = try FeedPages(
        ServerContext(ServedStore(database), configuration), calendar: calendar,
        scans: scans, currentDate: { now })
    }

    /// Puts a feed into the store.
    func save<Model: EncodablePayloadModel>(
      _ models: [Model], as name: String, at date: Date = Self.now
    ) throws {
      try database.insert(
        models, into: FeedName(name), referenceSeconds: date.timeIntervalSinceReferenceDate)
    }

    func get(
      _ path: String, languages: String? = nil, ifNoneMatch: String? = nil
    ) async throws -> PageSeen {
      let target = try #require(RequestTarget(path))
      let answer = await pages.answer(
        target, acceptLanguage: languages, ifNoneMatch: ifNoneMatch)
      return PageSeen(answer)
    }
  }

  /// A page for the expectations of a test.
  struct PageSeen {
    let status: Int
    let html: String
    private let fields: HTTPFields

    init(_ answer: HTTPAnswer) {
      status = answer.status.code
      fields = answer.fields
      if case .bytes(let bytes) = answer.body {
        html = String(decoding: bytes, as: UTF8.self)
      } else {
        html = ""
      }
    }

    subscript(field: HTTPField.Name) -> String? { fields[field] }

    /// The visible text, with one space between words.
    var text: String {
      let body = html.components(separatedBy: "<body>").last ?? html
      return body.replacing(/<[^>]*>/, with: " ").split(whereSeparator: \.isWhitespace)
        .joined(separator: " ").unescaped
    }

    /// The contents of all elements of a name.
    func contents(of element: String) throws -> [String] {
      let regex = try Regex("<\(element)( [^>]*)?>(?<content>[\\s\\S]*?)</\(element)>")
      return html.matches(of: regex).compactMap { match in
        match.output["content"]?.substring.map { content in
          content.replacing(/<[^>]*>/, with: " ").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ").unescaped
        }
      }
    }

    /// The values of an attribute, unescaped.
    func attributes(_ name: String) throws -> [String] {
      let regex = try Regex(" \(name)=\"(?<value>[^\"]*)\"")
      return html.matches(of: regex).compactMap { match in
        match.output["value"]?.substring.map { String($0).unescaped }
      }
    }

    /// The address of the next part; nil at the end.
    func next() throws -> String? {
      let regex = /<a [^>]*id="more"[^>]*href="([^"]*)"/
      return html.firstMatch(of: regex).map { String($0.output.1).unescaped }
    }
  }

  extension String {
    /// The text without escapes.
    fileprivate var unescaped: String {
      replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
        .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
  }

  /// Records for the tests.
  enum Sample {
    static func university(
      _ name: String, country: String = "Greece", state: String? = nil, pages: [String] = [],
      domains: [String]? = nil
    ) -> University {
      University(
        name: name, country: country, alphaTwoCode: "GR", stateProvince: state, webPages: pages,
        domains: domains)
    }

    static func image(
      _ number: Int, description: String? = "A pier", location: String? = "Brighton"
    ) throws -> FeedImage {
      FeedImage(
        id: try #require(UUID(uuidString: String(format: "00000000-0000-0000-0000-%012d", number))),
        description: description, location: location,
        url: try #require(URL(string: "https://example.com/\(number).jpg?a=1&b=2")))
    }

    static func article(_ title: String = "Headline") throws -> Article {
      Article(
        source: Source(name: "Reuters"), author: "A. Writer", title: title,
        description: "In short.", url: try #require(URL(string: "https://example.com/news/1?a=b")),
        urlToImage: URL(string: "https://example.com/1.jpg"),
        publishedAt: PageSite.now - 86_400, content: "First line.\r\nSecond line.")
    }

    static func character(_ name: String = "Rick") throws -> SeriesCharacter {
      SeriesCharacter(
        name: name, status: "Alive", species: "Human",
        image: try #require(URL(string: "https://example.com/rick.jpeg")))
    }
  }
#endif
