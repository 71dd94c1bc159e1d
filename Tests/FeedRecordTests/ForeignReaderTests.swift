@_spi(Ingest) import FeedRecord
import Foundation
import Testing

/// The layout for other languages: the published C header and the Python reader.
@Suite("Foreign readers")
struct ForeignReaderTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let python = Command.find("python3")
  static let compiler = Command.find("cc")

  @Test(
    "the Python reader prints the golden block's records",
    .enabled(if: python != nil, "python3 is not installed"),
    arguments: [(Golden.oldRecords, Golden.oldWide), (.records, .wide)])
  func pythonReader(records: Golden, wide: Golden) throws {
    let python = try #require(Self.python)
    let script = Self.root.appending(path: "Examples/read_block.py").path
    let output = try Command.run(python, [script, try records.url().path])
    #expect(output.status == 0)
    #expect(output.text == Self.expectedLines + (records == .records ? Self.longLine : ""))
    let wide = try Command.run(python, [script, try wide.url().path])
    #expect(wide.status == 0)
    #expect(wide.text.contains(#""16": "after", "17": 86400.5, "19": null, "20": []"#))
  }

  @Test(
    "the Python reader refuses a file that is not a block of records",
    .enabled(if: python != nil, "python3 is not installed"))
  func pythonReaderRefuses() throws {
    let python = try #require(Self.python)
    let script = Self.root.appending(path: "Examples/read_block.py").path
    let output = try Command.run(python, [script, try Golden.index.url().path])
    #expect(output.status == 1)
    #expect(output.text == "")
  }

  @Test(
    "the C header's constants are the library's",
    .enabled(if: compiler != nil, "cc is not installed"))
  func header() throws {
    let compiler = try #require(Self.compiler)
    let directory = URL.temporaryDirectory.appending(path: "feedrecord-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let source = directory.appending(path: "constants.c")
    let program = directory.appending(path: "constants")
    try Data(Self.program.utf8).write(to: source)
    let built = try Command.run(
      compiler,
      [
        "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
        "-I", Self.root.appending(path: "include").path, "-o", program.path, source.path,
      ])
    #expect(built.status == 0)
    let output = try Command.run(program.path, [])
    let expected = HeaderConstants.all.map { "\($0.name) \($0.value)\n" }.joined()
    #expect(output.text == expected)
  }

  @Test("every constant of the C header is compared with the library's")
  func headerIsCovered() throws {
    let header = try String(
      contentsOf: Self.root.appending(path: "include/feedrecord.h"), encoding: .utf8)
    let defined = header.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.count > 2 && words[0] == "#define" ? String(words[1]) : nil
    }
    #expect(Set(defined) == Set(HeaderConstants.all.map(\.name).filter { !$0.hasSuffix(")") }))
  }

  /// A program that prints every constant by name.
  static var program: String {
    let lines = HeaderConstants.all.map {
      #"  printf("%s %lld\n", "\#($0.name)", (long long)(\#($0.name)));"#
    }
    return """
      #include <feedrecord.h>
      #include <stdio.h>
      int main(void) {
      \(lines.joined(separator: "\n"))
        return 0;
      }

      """
  }

  static let longLine = """
    {"10": "\(String(repeating: "long", count: 70))", "11": 2, "12": ["x", "yz"], "13": false, \
    "14": null, "16": "after", "17": 1.5, "19": null, "20": [], "22": -2.5, \
    "23": "00000000-0000-0005-0000-000000000006"}

    """

  static let expectedLines = """
    {"10": "Zürich 🏔", "11": -9223372036854775808, "12": ["a", "", "çé"], "13": true, \
    "14": "00112233-4455-6677-8899-aabbccddeeff", "15": -0.5, "16": "second", "17": -12.25, \
    "18": false, "19": 9223372036854775807, "20": ["one"], "21": 1000000000.0, \
    "22": 0.3333333333333333, "23": "00000000-0000-0001-0000-000000000002"}
    {"10": "only what is required", "11": 0, "12": null, "13": false, "14": null, "15": null, \
    "16": null, "17": 0.0, "18": null, "19": null, "20": ["x", "y"], "21": null, "22": -0.0, \
    "23": "ffffffff-ffff-ffff-ffff-ffffffffffff"}
    {}
    {"10": "", "11": -1, "12": [], "13": true, "16": "", "17": "inf", "20": [""], \
    "22": 1.7976931348623157e+308, "23": "00000000-0000-0000-0000-000000000000"}

    """
}
