import Testing

@testable import FeedServer

@Suite("Where the pages of a feed begin")
struct PageStartsTests {
  @Test("there are no more pages than there are records that may begin one")
  func limit() {
    var pages = PageStarts(recordCount: 100)
    #expect(pages.limit == 100)
    pages.add(90)
    #expect(pages.limit == 11)
    pages.add(nil)
    #expect(pages.limit == 2)
    #expect(PageStarts(recordCount: 0).limit == 0)
  }
}
