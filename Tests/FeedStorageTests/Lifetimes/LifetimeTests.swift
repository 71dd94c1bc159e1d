import Foundation
import TestSupport
import Testing

/// Borrowed values cannot be kept: the compiler refuses it, in a client that sets no flags.
@Suite("Lifetimes")
struct LifetimeTests {
  @Test("code that keeps a borrowed value does not compile", arguments: Escape.all)
  func escapes(escape: Escape) throws {
    let errors = try SnippetCompiler().errors(of: escape.program)
    #expect(!errors.isEmpty, "it compiles")
    for error in errors {
      #expect(escape.refusals.contains { error.contains($0) }, "another error: \(error)")
    }
  }

  @Test("the same code with a copy compiles", arguments: Escape.all)
  func twins(escape: Escape) throws {
    #expect(try SnippetCompiler().errors(of: escape.twinProgram) == [])
  }
}

/// Compiles snippets of Swift against the modules that these tests were built with.
struct SnippetCompiler {
  struct NotFound: Error {}

  private let directory: TemporaryDirectory
  private let options: [String]

  init() throws {
    guard let products = BuildProducts.directory else { throw NotFound() }
    directory = try TemporaryDirectory()
    let root = GoldenStore.root
    // SwiftPM names a package after its directory. Snippets see its `package` declarations.
    let package = root.lastPathComponent.lowercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
    }
    let clang = ["CLMDB", "CYajl", "CXXHash", "CIsal", "CZstd"]
    options =
      ["-swift-version", "6", "-package-name", String(package), "-I", products + "/Modules"]
      + clang.flatMap { ["-I", root.appending(path: "Sources/\($0)").path] }
      + ["-Xcc", "-fmodule-map-file=\(products)/CFeedScan.build/module.modulemap"]
      + Self.systemFlags
  }

  /// The errors of a snippet, without their locations; empty if it compiles.
  ///
  /// The compiler diagnoses escapes after type checking, hence `-emit-sil`.
  func errors(of snippet: String) throws -> [String] {
    let source = directory.path + "/\(UUID().uuidString).swift"
    try Data(snippet.utf8).write(to: URL(filePath: source))
    let log = source + ".log"
    let compiler = try RunningCommand(
      "/usr/bin/env",
      ["swiftc", "-emit-sil", "-o", "/dev/null", "-diagnostic-style", "llvm"] + options + [source],
      environment: ProcessInfo.processInfo.environment, input: .nothing, output: .file(log),
      errors: .file(log))
    let status = compiler.wait()
    let text = try String(contentsOf: URL(filePath: log), encoding: .utf8)
    let errors = text.split(separator: "\n").compactMap { line in
      line.range(of: ": error: ").map { String(line[$0.upperBound...]) }
    }
    // A compiler that fails without an error has crashed. This must not count as a refusal.
    if (status == 0) != errors.isEmpty { return ["status \(status): \(text)"] }
    return errors
  }

  // Where Homebrew keeps the C libraries.
  private static var systemFlags: [String] {
    ["/opt/homebrew/include", "/usr/local/include"]
      .filter { FileManager.default.fileExists(atPath: $0) }.flatMap { ["-Xcc", "-I" + $0] }
  }
}
