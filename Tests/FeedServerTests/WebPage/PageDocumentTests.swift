#if Server
  import FeedCore
  import TestSupport
  import Testing

  @Suite("The page of a document feed")
  struct PageDocumentTests {
    private let site: PageSite

    init() throws {
      site = try PageSite()
      try OddDocuments.publish(in: site.database)
    }

    @Test("lists documents with the key and the most frequent scalars as columns")
    func columns() async throws {
      let odd = try await site.get("/page/odd").html
      #expect(
        try await site.get("/page/odd").contents(of: "th").prefix(3) == ["id", "name", "size"])
      #expect(odd.contains(#"<td class="number">1.50</td>"#))
      let large = try await site.get("/page/large").html
      #expect(large.matches(of: /scope="col"/).count == 6)
      // Keys that differ from record to record are described together.
      #expect(try await site.get("/page/map").contents(of: "th").prefix(2) == ["id", "k0"])
      #expect(large.utf8.count < 64 << 10)
    }

    @Test("lists records that are not objects, and numbers records without a key")
    func otherRecords() async throws {
      let scalars = try await site.get("/page/scalars").html
      #expect(scalars.contains(">#1</a></th><td>two</td>"))
      #expect(scalars.contains("<td>&lt;b&gt;</td>"))
      let arrays = try await site.get("/page/arrays").html
      #expect(arrays.contains(">#1</a></th><td>b</td><td>2</td>"))
    }

    @Test("shows a document as nested lists, with web addresses as links and everything escaped")
    func tree() async throws {
      let text = #"""
        [{"id":"1","url":"https://e.com/?a=1&b=\"2\"","bad":"javascript:alert(1)","<k>":["<v>",[],{}],
          "o":{"p":{"q":null}}}]
        """#
      try OddDocuments.publish(text, as: "tree", in: site.database)
      let html = try await site.get("/page/tree/record?key=1").html
      let parts = [
        #"<ul><li><span class="name">id</span> <span>1</span></li>"#,
        #"<li><span class="name">url</span> <a href="https://e.com/?a=1&amp;b=%222%22" "#,
        #"rel="noopener noreferrer">"#,
        #"https://e.com/?a=1&amp;b=&quot;2&quot;</a></li>"#,
        #"<li><span class="name">bad</span> <span>javascript:alert(1)</span></li>"#,
        #"<li><span class="name">&lt;k&gt;</span> <ol start="0"><li><span>&lt;v&gt;</span></li>"#,
        #"<li><i>[]</i></li><li><i>{}</i></li></ol></li><li><span class="name">o</span> "#,
        #"<ul><li><span class="name">p</span> <ul><li><span class="name">q</span> <i>null</i>"#,
        "</li></ul></li></ul></li></ul>",
      ]
      #expect(html.contains(parts.joined()))
      #expect(!html.contains("<v>"))
    }

    @Test("shows a scalar, and only a part of a document with very many values")
    func otherTrees() async throws {
      #expect(try await site.get("/page/scalars/record?key=%231").html.contains("<span>two</span>"))
      let many = "[[" + Array(repeating: "[1]", count: 20_000).joined(separator: ",") + "]]"
      try OddDocuments.publish(many, as: "many", in: site.database)
      let html = try await site.get("/page/many/record?key=%230").html
      #expect(html.contains("<i>…</i></li></ol>"))
      #expect(html.matches(of: /<ol/).count == html.matches(of: /<\/ol>/).count)
    }

    @Test("finds documents by any of their strings and numbers, ignoring case")
    func search() async throws {
      for (filter, count) in [("TWO", 1), ("4.5", 1), ("b", 1), ("zzz", 0)] {
        let html = try await site.get("/page/scalars?filter=\(filter)").html
        #expect(html.matches(of: /scope="row"/).count == count, "\(filter)")
      }
      // The filter does not search the keys of objects.
      #expect(
        try await site.get("/page/numbers?filter=deep").html.matches(of: /scope="row"/).isEmpty)
      let escaped = #"[{"id":"1","t":"caf\u00e9"},{"id":"2","t":"tea"}]"#
      try OddDocuments.publish(escaped, as: "escaped", in: site.database)
      let found = try await site.get("/page/escaped?filter=caf%C3%A9").html
      #expect(found.matches(of: /scope="row"/).count == 1)
    }
  }
#endif
