import Foundation

extension Workspace {
  /// Publishes a small feed of universities and returns its number of records.
  @discardableResult
  func publishUniversities(feed: String = "universities") throws -> Int {
    let file = try file("published.json", Payload.universities(["Alpha", "Beta", "Gamma"]))
    let outcome = try feedcore("ingest", file, "--feed", feed, "--quiet")
    guard outcome.status == 0 else { throw Unexpected() }
    return 3
  }

  /// Everything that a reader can see of the store, except its age.
  func snapshot() throws -> [String] {
    var snapshot: [String] = []
    for feed in try feeds() {
      let name = feed["name"] as? String ?? ""
      let rest = feed.filter { $0.key != "ageSeconds" }.map { "\($0.key)=\($0.value)" }
      snapshot.append(rest.sorted().joined(separator: " "))
      snapshot.append(try feedcore("export", name).output)
    }
    return snapshot
  }

  /// The output of `feeds --json`.
  func feeds() throws -> [[String: Any]] {
    let outcome = try feedcore("feeds", "--json")
    guard outcome.status == 0 else { throw Unexpected() }
    return try outcome.json() as? [[String: Any]] ?? []
  }

  /// The number of records of a feed; nil if there is no such feed.
  func records(of feed: String) throws -> Int? {
    try feeds().first { $0["name"] as? String == feed }?["records"] as? Int
  }

  /// The names in the first column of an export in lines.
  func names(of feed: String) throws -> [String] {
    try feedcore("export", feed, "--format", "ndjson").lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["name"] as? String ?? ""
    }
  }
}
