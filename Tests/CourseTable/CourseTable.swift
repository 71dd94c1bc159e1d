import CourseSupport
import Foundation

/// The scenarios and courses of the documents, each with its tests.
struct CourseTable {
  private var tests: [Course: Set<String>] = [:]

  /// - Parameter notes: the lines that the tests wrote to the file that `FEEDCORE_COURSES` names.
  init(notes: String) {
    for line in notes.split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4, let document = Document(rawValue: parts[0]) else { continue }
      for course in Course.all
      where course.document == document && course.section == parts[1] && course.name == parts[2] {
        tests[course, default: []].insert(Self.name(of: parts[3]))
      }
    }
  }

  // The position of a test in its file changes with every edit.
  private static func name(of identifier: String) -> String {
    let parts = identifier.split(separator: "/")
    return parts.filter { !$0.contains(".swift:") }.joined(separator: "/")
  }

  /// The courses without a test.
  var missing: [Course] { Course.all.filter { tests[$0] == nil } }

  /// A summary in one line.
  var summary: String {
    let count = tests.values.reduce(into: Set<String>()) { $0.formUnion($1) }.count
    return "\(tests.count) of \(Course.all.count) scenarios and courses have \(count) tests"
  }

  /// The table as an article.
  var article: String {
    var text = """
      # Scenarios and courses

      The scenarios and courses of the five apps' documents, and the tests of each.

      `scripts/test --courses` makes this page from the tests.

      """
    for document in Document.allCases {
      text += "\n## \(document.title)\n\n| where | what | tests |\n|---|---|---|\n"
      for course in Course.all where course.document == document {
        let names = tests[course, default: []].sorted().map { "`\($0)`" }
        text += "| \(course.section) | \(course.name) | \(names.joined(separator: "<br>")) |\n"
      }
    }
    return text
  }
}

@main
enum CourseTableProgram {
  /// `FeedCoreCourses NOTES ARTICLE [--write]`: fails if a course has no test or the article is out
  /// of date, or writes the article.
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      return fail("usage: FeedCoreCourses NOTES ARTICLE [--write]")
    }
    let table = CourseTable(notes: try String(contentsOfFile: arguments[1], encoding: .utf8))
    print(table.summary)
    for course in table.missing { print("no test: \(course)") }
    guard table.missing.isEmpty else { return fail("every course needs a test") }
    if arguments.count > 3 {
      try table.article.write(toFile: arguments[2], atomically: true, encoding: .utf8)
    } else if try String(contentsOfFile: arguments[2], encoding: .utf8) != table.article {
      fail("\(arguments[2]) is out of date; run scripts/test --courses")
    }
  }

  private static func fail(_ message: String) {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(1)
  }
}
