import ArgumentParser
import FeedCore
import FeedStorage
import FeedTools

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A completion request of a shell: the words of a command line, and the index of the word to
/// complete.
///
/// A store that is missing, damaged, busy or slow has no candidates, and no error is printed.
struct CompletionRequest {
  /// The seconds after which a request ends without candidates.
  private static let timeout: CUnsignedInt = 2

  private let words: [String]
  private let index: Int

  init(_ words: [String], _ index: Int) {
    (self.words, self.index) = (words, index)
  }

  /// Prepares the process if its arguments are a completion request. Must be called before anything
  /// else.
  static func prepare(_ arguments: [String]) {
    guard arguments.first == "---completion" else { return }
    let null = open("/dev/null", O_WRONLY)
    if null >= 0 { dup2(null, STDERR_FILENO) }
    signal(SIGALRM) { _ in _exit(0) }
    alarm(timeout)
  }

  // MARK: Candidates

  /// The names of the feeds, except those that would be parsed as options.
  var feedNames: [String] {
    guard let database, let names = try? database.feedNames() else { return [] }
    return names.map(\.text).filter { !$0.hasPrefix("-") }
  }

  /// The paths of the values in the feed that the other words name.
  ///
  /// - Parameters:
  ///   - prefix: a word that begins with this prefix keeps it before the path.
  ///   - separator: the word up to its last separator stays before the path.
  func paths(after prefix: String = "", separator: Character? = nil) -> [String] {
    guard let feed else { return [] }
    let typed = index < words.count ? Self.value(words[index]) : ""
    var lead = prefix.isEmpty || !typed.hasPrefix(prefix) ? "" : prefix
    if let separator, let end = typed.lastIndex(of: separator) { lead = String(typed[...end]) }
    // bash expands candidates, so they must not contain anything that it would run.
    guard lead.allSatisfy({ FieldPaths.isPlain($0) || $0 == separator }) else { return [] }
    return FieldPaths.all(of: feed).map { lead + $0 }
  }

  // MARK: The store

  private var database: FeedDatabase? {
    guard let directory = try? StoreOptions.directory(given: store),
      !FeedDatabase.isProcessNumberTaken(at: directory)
    else { return nil }
    DamagedStore.endProcess(saying: "", status: ExitStatus.success.rawValue)
    var options = FeedDatabase.Options(createsMissing: false)
    options.writerTimeout = .zero
    return try? FeedDatabase.open(at: directory, options: options)
  }

  /// The value of `--store`. bash splits a word at an equals sign.
  private var store: String? {
    for (place, word) in words.enumerated() where word.hasPrefix("--store") {
      if word.hasPrefix("--store=") { return Self.path(String(word.dropFirst(8))) }
      let rest = words[(place + 1)...].drop { $0 == "=" }
      if word == "--store", let next = rest.first { return Self.path(next) }
    }
    return nil
  }

  /// The first other word after the command that is the name of a feed.
  private var feed: Feed? {
    guard let database else { return nil }
    for (place, word) in words.enumerated().dropFirst(2) where place != index {
      guard let name = try? FeedName(argument: Self.unquoted(word)) else { continue }
      if let feed = try? database.feed(named: name) { return feed }
    }
    return nil
  }

  // MARK: Words

  /// The part of a word to complete, without an open quote and without an option before an equals
  /// sign.
  private static func value(_ word: String) -> String {
    guard word.hasPrefix("--"), let end = word.firstIndex(of: "=") else { return unquoted(word) }
    return unquoted(String(word[end...].dropFirst()))
  }

  private static func path(_ word: String) -> String {
    guard word.hasPrefix("~/"), let home = getenv("HOME") else { return unquoted(word) }
    return String(cString: home) + unquoted(String(word.dropFirst()))
  }

  /// A word as the shell would pass it, if quotes and backslashes are its only shell syntax.
  private static func unquoted(_ word: String) -> String {
    var text = ""
    var isEscaped = false
    for character in word {
      if !isEscaped, character == "\\" {
        isEscaped = true
      } else {
        if isEscaped || character != "'" && character != "\"" { text.append(character) }
        isEscaped = false
      }
    }
    return text
  }
}

extension CompletionKind {
  /// The names of the feeds of the store.
  static var feedNames: CompletionKind {
    .custom { words, index, _ in CompletionRequest(words, index).feedNames }
  }

  /// Paths of values in the records of the feed.
  static var path: CompletionKind {
    .custom { words, index, _ in CompletionRequest(words, index).paths() }
  }

  /// Such paths, with commas between them.
  static var paths: CompletionKind {
    .custom { words, index, _ in CompletionRequest(words, index).paths(separator: ",") }
  }

  /// Such a path of one value, possibly after a minus sign.
  static var sortPath: CompletionKind {
    .custom { words, index, _ in
      CompletionRequest(words, index).paths(after: "-").filter { !$0.contains("[]") }
    }
  }
}
