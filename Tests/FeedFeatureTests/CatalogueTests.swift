import CourseSupport
import Testing

@Suite("The catalogue of courses")
struct CatalogueTests {
  @Test("every course has a unique name")
  func unique() {
    let names = Course.all.map(\.description)
    #expect(Set(names).count == names.count)
  }

  @Test(
    "each document has as many scenarios and courses as its catalogue",
    arguments: [
      (Document.universities, 4, 10), (.essential, 6, 26), (.feed2020, 4, 10), (.characters, 3, 6),
      (.news, 6, 26),
    ])
  func counts(document: Document, scenarios: Int, courses: Int) {
    let all = Course.all.filter { $0.document == document }
    #expect(all.count { $0.kind == .scenario } == scenarios)
    #expect(all.count { $0.kind != .scenario } == courses)
  }
}
