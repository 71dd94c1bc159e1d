import Foundation
public import Testing

/// The course of a document that a test verifies.
///
/// A course that is not in the catalogue fails the test, so that none is misspelt. If the environment
/// variable `FEEDCORE_COURSES` names a file, each test appends a line to it: document, section, course,
/// and the test's identifier, separated by tabs.
public struct CourseTrait: TestTrait {
  /// The document.
  public let document: Document
  /// The heading of the use case, or the story and its narrative.
  public let section: String
  /// The name of the course in the catalogue.
  public let name: String

  /// The course with these names in the catalogue.
  public var course: Course? {
    Course.all.first { $0.document == document && $0.section == section && $0.name == name }
  }

  /// Looks the course up and records the test.
  public func prepare(for test: Test) async throws {
    guard let course else {
      throw UnknownCourse(document: document, section: section, name: name)
    }
    guard let path = ProcessInfo.processInfo.environment["FEEDCORE_COURSES"] else { return }
    let line = [course.document.rawValue, course.section, course.name, "\(test.id)"]
    try append(line.joined(separator: "\t") + "\n", to: path)
  }

  // One write to a file opened for appending, so that lines of concurrent tests are not mixed.
  private func append(_ line: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(line.utf8))
  }
}

/// A test names a course that is not in the catalogue.
struct UnknownCourse: Error {
  var document: Document
  var section: String
  var name: String
}

extension Trait where Self == CourseTrait {
  /// The test verifies this course. A test may verify several.
  public static func course(
    _ document: Document, _ section: String, _ name: String
  ) -> CourseTrait {
    CourseTrait(document: document, section: section, name: name)
  }
}
