import FeedCore
import Foundation

/// Ingests universities and prints the number in each country: `countries STORE FILE`.
@main
struct Countries {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 3 else {
      FileHandle.standardError.write(Data("usage: countries STORE FILE\n".utf8))
      exit(64)
    }
    let database = try FeedDatabase.open(at: words[1])
    let report = try database.ingest([words[2]])
    var counts: [String: Int] = [:]
    try database.existingFeed(named: report.feed.name).forEach(University.self) { university in
      counts[university.country, default: 0] += 1
    }
    for (country, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      print("\(country): \(count)")
    }
  }
}
