#if Server
  import FeedCore
  import FeedPresentation
  import Foundation
  import HTTPTypes
  import TestSupport
  import Testing

  @testable import FeedServer

  /// Sixty events of three types. Every fifth event has no size.
  private func eventSite() throws -> PageSite {
    let site = try PageSite()
    let events = (0..<60).map { number in
      let size = number % 5 == 0 ? "" : #","size":\#(number * 7 % 60)"#
      let type = ["Push", "Fork it", "Watch"][number % 3]
      return #"{"id":"e\#(number)","type":"\#(type)","public":\#(number % 2 == 0)"#
        + #","at":"2025-01-\#(10 + number % 20)T00:00:00Z","o":{"n":null}\#(size)}"#
    }
    try OddDocuments.publish(
      "[" + events.joined(separator: ",") + "]", as: "events", in: site.database)
    return site
  }

  extension PageSeen {
    /// The keys of the rows.
    fileprivate var keys: [String] {
      html.matches(of: /<th scope="row">.*?<a [^>]*>([^<]*)<\/a>/).map { String($0.output.1) }
    }

    /// The address of the link with the given text.
    fileprivate func address(of title: String) throws -> String? {
      let regex = try Regex(
        "<a [^>]*href=\"([^\"]*)\"[^>]*>(<span>)?\(NSRegularExpression.escapedPattern(for: title))<"
      )
      let address = html.firstMatch(of: regex)?.output[1].substring
      return address.map { String($0).replacing("&amp;", with: "&") }
    }
  }

  @Suite("The page of any feed, sorted and narrowed down")
  struct PageQueryTests {
    @Test("column headings are links that sort by the column, and then in descending order")
    func sorting() async throws {
      let site = try eventSite()
      let page = try await site.get("/page/events")
      let up = try #require(try page.address(of: "size"))
      #expect(up == "/page/events?sort=size")
      let ascending = try await site.get(up)
      #expect(ascending.html.contains(#"<th scope="col" class="number" aria-sort="ascending">"#))
      // Records without a size come first.
      #expect(ascending.keys.first == "e0")
      let down = try #require(try ascending.address(of: "size"))
      let descending = try await site.get(down)
      #expect(descending.html.contains(#"aria-sort="descending""#))
      let sizes = (0..<60).filter { $0 % 5 > 0 }
      let best = sizes.max { ($0 * 7 % 60, -$0) < ($1 * 7 % 60, -$1) }
      #expect(descending.keys.first == best.map { "e\($0)" })
      #expect(descending.keys.count == 24)
      let next = try #require(try descending.next())
      let second = try await site.get(next)
      #expect(Set(second.keys).isDisjoint(with: descending.keys))
      let third = try await site.get(try #require(try second.next()))
      #expect(descending.keys.count + second.keys.count + third.keys.count == 60)
      #expect(try third.next() == nil)
    }

    @Test("facets come from the schema: texts with few values, booleans, ranges, and value counts")
    func facets() async throws {
      let page = try await eventSite().get("/page/events")
      #expect(try page.contents(of: "h3") == ["type", "public", "at", "size"])
      #expect(try page.address(of: "Push") == "/page/events?where=type%20%3D%20Push")
      #expect(try page.address(of: "Fork it") == "/page/events?where=type%20%3D%20%22Fork%20it%22")
      #expect(try page.address(of: "false") == "/page/events?where=public%20%3D%20false")
      #expect(try page.address(of: "2025-01-29") == "/page/events?sort=-at")
      #expect(page.text.contains("any value 48"))
      for count in ["Push 20", "Fork it 20", "true 30", "false 30"] {
        #expect(page.text.contains(count))
      }
      #expect(page.html.contains(#"<rect width="80" height="1"/>"#))
    }

    @Test("numbers and dates have a bar for each part of their range")
    func histograms() async throws {
      let page = try await eventSite().get("/page/events")
      let labels = try page.attributes("aria-label").filter { $0.hasPrefix("Most values") }
      // Three events a day; the sizes are the numbers below 60 that are not multiples of five.
      #expect(labels == ["Most values: 2025-01-11 – 2025-01-12", "Most values: 16 – 19"])
    }

    @Test("every link of a page is valid, and the links of odd facet values find their records")
    func facetLinks() async throws {
      let site = try PageSite()
      try OddDocuments.publish(in: site.database)
      let odd =
        #"[{"k":1,"a in b":"x y","-":"\"q\"","c=d":"","é":"true"},"#
        + #"{"k":2,"a in b":"z","-":"~","c=d":"1","é":"null"},{"k":3,"a in b":"z","-":"~","#
        + #""c=d":"1","é":"null"},{"k":4,"a in b":"x y","-":"\"q\"","c=d":"","é":"true"}]"#
      try OddDocuments.publish(odd, as: "names", in: site.database)
      var count = 0
      for feed in try site.database.feeds() {
        let page = try await site.get("/page/\(feed.name)")
        for address in Set(try page.attributes("href"))
        where address.hasPrefix("/page/\(feed.name)?") {
          #expect(try await site.get(address).status == 200, "\(address)")
          count += 1
        }
      }
      #expect(count > 20)
      let names = try await site.get("/page/names")
      for value in ["~", "null"] {
        let address = try #require(try names.address(of: value))
        #expect(try await site.get(address).keys.count == 2, "\(value)")
      }
      // A key that reads like an operator has no facet.
      #expect(try names.address(of: "x y") == nil)
    }

    @Test("conditions select records, count the matches, and have links that remove them")
    func conditions() async throws {
      let site = try eventSite()
      let path = "/page/events?where=type+%3D+Push&where=size+%3E+30&sort=-size"
      let page = try await site.get(path)
      let expected = (0..<60).filter { $0 % 3 == 0 && $0 % 5 > 0 && $0 * 7 % 60 > 30 }
        .sorted { ($1 * 7 % 60, $0) < ($0 * 7 % 60, $1) }
      #expect(page.keys == expected.map { "e\($0)" })
      #expect(page.text.contains("Matches: \(expected.count) Items: 60"))
      #expect(page.html.contains(#"aria-label="Remove: type = Push""#))
      #expect(page.html.contains(#"href="/page/events?where=size%20%3E%2030&amp;sort=-size""#))
      #expect(page.html.contains(#"aria-label="Remove: size, highest first""#))
      // The link of a chosen value removes it.
      #expect(page.html.contains(#" aria-current="true">Push</a>"#))
      #expect(page.html.contains(#"<input type="hidden" name="where" value="type = Push">"#))
    }

    @Test("the paths of conditions and sort orders become columns of the list")
    func askedColumns() async throws {
      let site = try PageSite()
      let wide = (0..<3).map { number in
        "{" + (0..<12).map { #""k\#($0)":\#($0 * number)"# }.joined(separator: ",")
          + #","id":"w\#(number)","in":{"er":\#(number)}}"#
      }
      try OddDocuments.publish(
        "[" + wide.joined(separator: ",") + "]", as: "wide", in: site.database)
      let plain = try await site.get("/page/wide")
      #expect(!(try plain.contents(of: "th").contains("in.er")))
      let page = try await site.get("/page/wide?sort=-in.er&where=k11+%3E+0&where=%2Fid+exists")
      #expect(try page.contents(of: "th").prefix(3) == ["id", "in.er", "k11"])
      #expect(page.keys == ["w2", "w1"])
      #expect(page.html.contains(/<td[^>]*>2<\/td><td[^>]*>22<\/td>/))
    }

    @Test("a filter and conditions apply together, in any sort order, and count the matches")
    func filterAndConditions() async throws {
      let site = try eventSite()
      let page = try await site.get("/page/events?filter=e1&where=public+%3D+true")
      let expected = (0..<60).filter { $0 % 2 == 0 && "e\($0)".contains("e1") }
      #expect(page.keys == expected.map { "e\($0)" })
      #expect(page.text.contains("Matches: \(expected.count)"))
      let sorted = try await site.get("/page/events?filter=e1&where=public+%3D+true&sort=-id")
      #expect(sorted.keys == expected.map { "e\($0)" }.sorted(by: >))
      #expect(sorted.text.contains("Matches: \(expected.count)"))
    }

    @Test("an indexed value is looked up, and the next part continues after the first")
    func indexed() async throws {
      let site = try eventSite()
      let page = try await site.get("/page/events?where=id+%3D+e7")
      #expect(page.keys == ["e7"])
      #expect(page.text.contains("Matches: 1 "))
      let list = (0..<40).map { "e\($0)" }.joined(separator: ",")
      let first = try await site.get("/page/events?where=id+in+\(list)")
      #expect(first.keys.count == 24)
      #expect(first.text.contains("Matches: 40"))
      let rest = try await site.get(try #require(try first.next()))
      #expect(first.keys + rest.keys == (0..<40).map { "e\($0)" })
    }

    @Test("a malformed condition returns 400, its error, and the valid conditions")
    func malformed() async throws {
      let site = try eventSite()
      let page = try await site.get("/page/events?where=type&where=public+%3D+true")
      #expect(page.status == 400)
      #expect(page[.cacheControl] == "no-store")
      #expect(page.html.contains(#"name="where" value="type""#))
      #expect(page.html.contains(#"aria-invalid="true""#))
      #expect(page.text.contains("An operator follows the path: = != < <= > >= ~ !~ in exists"))
      #expect(page.html.contains(#"aria-label="Remove: public = true""#))
      #expect(!page.html.contains("Remove: type"))
      #expect(page.keys.isEmpty)
    }

    @Test("the list of an app accepts conditions and a sort order, too")
    func apps() async throws {
      let site = try PageSite()
      try site.save(
        ["B", "A", "C"].map { Sample.university($0, country: $0 == "A" ? "Greece" : "Peru") },
        as: "universities")
      let page = try await site.get("/page/universities?where=country+%3D+Peru&sort=-name")
      #expect(try page.contents(of: "h2") == ["C", "B"])
      let missing = try await site.get("/page/universities?where=size+%3D+1")
      #expect(missing.status == 400)
      #expect(missing.text.contains("their fields are"))
    }

    @Test(
      "hostile parameters return an error or a list, and add no script",
      arguments: [
        "where=%22", "where=%00%3D1", "where=a%5B%5D%3D1", "where=a%5B-1%5D%3D1", "where=%2F~%3D1",
        "where=\(String(repeating: "%5B0%5D", count: 500))%3D1", "where=a%3D%22%5Cud800%22",
        "where=a+in+\(String(repeating: ",", count: 3000))", "where=id%3De1&where=id%3De1",
        "where=\(String(repeating: "a.", count: 500))a+exists", "where=+", "sort=-", "sort=%5B%5D",
        "sort=%22", "sort=-%2F", "sort=\(String(repeating: "a.", count: 500))b",
        "page=0", "page=-1", "page=9223372036854775807", "page=99999999999999999999999", "page=x",
        "page=9223372036854775807&sort=id", "page=9223372036854775807&where=id+exists",
        "page=5000&sort=id", "size=0", "size=-5", "size=1e9", "size=9223372036854775807",
        "cursor=1.zzzzzzzzzzzzzz&sort=id", "where=%3Cscript%3E", "sort=%3Cscript%3E",
        (0..<40).map { "where=a+%3D+\($0)" }.joined(separator: "&"),
      ])
    func hostile(query: String) async throws {
      let site = try eventSite()
      for feed in ["events", "universities"] {
        if feed == "universities" { try site.save([Sample.university("A")], as: feed) }
        let page = try await site.get("/page/\(feed)?\(query)")
        #expect([200, 400, 410].contains(page.status), "\(page.status)")
        #expect(page.html.ranges(of: "<script").count == 1)
      }
    }

    @Test("a page is found by its number, and a larger page size shows all records")
    func pages() async throws {
      let site = try eventSite()
      let third = try await site.get("/page/events?page=3")
      #expect(third.keys == (48..<60).map { "e\($0)" })
      #expect(third.html.contains(#"name="page" value="3" min="1" max="3""#))
      #expect(try third.address(of: "Previous") == "/page/events?page=2")
      let all = try await site.get("/page/events?size=100")
      #expect(all.keys.count == 60)
      #expect(try all.address(of: "24") == "/page/events")
      let beyond = try await site.get("/page/events?page=9")
      #expect(beyond.status == 200 && beyond.keys.isEmpty)
      #expect(try beyond.address(of: "Back to the beginning") == "/page/events")
      let found = try await site.get("/page/events?where=public+%3D+true&page=2")
      #expect(found.keys == (24..<30).map { "e\($0 * 2)" })
      #expect(found.text.contains("Matches: 30"))
    }

    @Test("a record has links to its JSON and to itself, and a button that a script shows")
    func record() async throws {
      let page = try await eventSite().get("/page/events/record?key=e7")
      #expect(try page.address(of: "Raw JSON") == "/feeds/events/records/e7")
      #expect(try page.address(of: "Link to this record") == "/page/events/record?key=e7")
      #expect(page.html.contains(#"<li hidden><button type="button" id="copy""#))
    }

    @Test("the list of feeds shows sizes, first records, and links for programs")
    func home() async throws {
      let site = try eventSite()
      try site.save([Sample.university("Crete")], as: "universities")
      let page = try await site.get("/")
      #expect(page.text.contains("e0 · Push · true · 2025-01-10T00:00:00Z"))
      #expect(page.text.contains("Size: "))
      #expect(page.text.contains("Crete JSON Schema"))
      let links = try page.attributes("href")
      for link in ["/feeds/events", "/feeds/events/schema", "/openapi.json"] {
        #expect(links.contains(link))
      }
    }
  }

  @Suite("A search that takes too long")
  struct PageDeadlineTests {
    @Test("is refused, with a link to try again, while too many others wait")
    func busy() async throws {
      let site = try PageSite(scans: PageScans(waiting: -1))
      try site.save([Sample.university("A")], as: "universities")
      #expect(try await site.get("/page/universities").status == 200)
      let page = try await site.get("/page/universities?filter=a")
      #expect(page.status == 503)
      #expect(page[.cacheControl] == "no-store")
      #expect(page.text.contains("Too many lists are being searched"))
      #expect(try page.attributes("href").contains("/page/universities?filter=a"))
    }

    /// The first part of a feed of 200 records, with a deadline that has passed.
    private func part(_ query: ListQuery) throws -> ListPart {
      let site = try PageSite()
      let many = (0..<200).map { #"{"id":"\#(1000 - $0)"}"# }.joined(separator: ",")
      try OddDocuments.publish("[\(many)]", as: "many", in: site.database)
      let feed = try #require(try site.database.feed(named: FeedName("many")))
      let reader = PageReader(.english, now: PageSite.now)
      return try ListPart(
        of: feed, query, CompiledListQuery(query, for: feed), as: feed.display(for: reader),
        QueryLimits(deadline: .now))
    }

    @Test("leaves a list in the order of the feed if it cannot be sorted in time")
    func sort() throws {
      var query = ListQuery()
      query.sort = "id"
      let part = try part(query)
      #expect(part.isUnsorted)
      #expect(part.items.first?.title == "1000")
      #expect(part.next == 24)
      // A later part of the sorted list cannot come from the unsorted feed.
      query.position = PageCursor(generation: 1, position: 24)
      let error = #expect(throws: StoreError.self) { try self.part(query) }
      #expect(error?.code == .limitExceeded)
    }

    @Test("looks up an indexed value even after its deadline")
    func indexed() throws {
      var query = ListQuery()
      query.conditions = ["id = 900"]
      let part = try part(query)
      #expect(part.matches?.isWhole == true)
      #expect(part.items.map(\.title) == ["900"])
    }

    @Test("refuses a late page that it does not reach in time")
    func latePage() throws {
      var query = ListQuery()
      query.conditions = ["id exists"]
      query.page = 5
      let error = #expect(throws: StoreError.self) { try self.part(query) }
      #expect(error?.code == .limitExceeded)
    }

    @Test("shows its matches so far, a lower bound of their number, and where it continues")
    func search() throws {
      var query = ListQuery()
      query.conditions = ["id exists"]
      let search = try part(query)
      #expect(search.matches?.isWhole == false)
      #expect(search.matches?.count == 63)
      #expect(search.next == 24)
    }
  }
#endif
