import Testing

@testable import FeedServer

@Suite("The first records of the pages of a feed")
struct PageStartsTests {
  @Test("are bounded by the number of records")
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
