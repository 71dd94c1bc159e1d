import Foundation
import TestSupport

/// Misuse of a store leads to a clear error within a second or to the right result, never to a
/// hang, a crash or a wrong answer.
enum Misuse: TorturePart {
  static let name = "misuse"
  static let faults = ["strange-inodes"]

  /// One kind of misuse. Throws if the store does not handle it correctly.
  struct Case {
    let name: String
    let run: (MisusedStore) throws -> Void

    init(_ name: String, _ run: @escaping (MisusedStore) throws -> Void) {
      self.name = name
      self.run = run
    }
  }

  static func run(_ options: TortureOptions) throws -> String {
    var failures: [String] = []
    for misuse in cases {
      do {
        try run(misuse, options)
      } catch {
        failures.append("\(misuse.name): \(error)")
      }
    }
    try demand(failures.isEmpty, failures.joined(separator: "; "))
    return "\(cases.count) kinds, each met within a second: "
      + cases.map(\.name).joined(separator: ", ")
  }

  // Runs in a separate process with an alarm, so that a signal ends a hang.
  private static func run(_ misuse: Case, _ options: TortureOptions) throws {
    let directory = options.workspace + "/" + misuse.name.replacing(" ", with: "-")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    var environment: [String: String] = [:]
    if let fault = options.fault {
      environment = ["LD_PRELOAD": options.preload, "TORTURE_FAULT": fault]
    }
    let errors = directory + "/errors"
    let status = try options.child(
      of: Misuse.self, [misuse.name, directory, options.feedcore], environment: environment,
      errors: .file(errors)
    ).wait()
    if status == -SIGALRM { throw TortureFailure("hangs") }
    let said = try String(contentsOfFile: errors, encoding: .utf8)
    try demand(status == 0, status < 0 ? "ended by signal \(-status)" : said.trimming("\n"))
  }

  static func child(_ words: [String]) throws {
    alarm(20)
    guard words.count == 3, let misuse = cases.first(where: { $0.name == words[0] }) else {
      throw TortureFailure("\(words)?")
    }
    try misuse.run(MisusedStore(words[1], feedcore: words[2]))
  }
}

extension String {
  fileprivate func trimming(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}
