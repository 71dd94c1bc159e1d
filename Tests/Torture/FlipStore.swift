import FeedCore
import FeedStorage
import Foundation

/// The store whose bits are flipped: feeds of several kinds, segments and sizes, and images. There are
/// enough of them for branch pages. Some feeds are documents whose surrounding text has several parts.
enum FlipStore {
  private static let largeCount = 6_000
  private static let smallFeeds = (0..<60).map { number in
    "feed-\(number)-" + String(repeating: "n", count: 54)
  }

  /// Makes the store in a directory.
  static func build(in directory: String) throws {
    var options = FeedDatabase.Options()
    // Otherwise the appended feed has one segment.
    options.smallFeedBytes = 0
    let database = try FeedDatabase.open(at: directory + "/store", options: options)
    let file = directory + "/payload"
    func ingest(
      _ text: String, _ feed: String, appends: Bool = false,
      as form: IngestOptions.Form = .contract, at records: String? = nil
    ) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      var options = IngestOptions()
      options.form = form
      options.records = records
      options.feed = try FeedName(feed)
      options.appends = appends
      _ = try database.ingest([file], options: options)
    }
    try ingest(universities(0..<50), "deleted")
    for name in smallFeeds { try ingest(universities(0..<2), name) }
    try ingest(universities(0..<100), "large")
    try ingest(universities(0..<largeCount), "large")
    try ingest(universities(0..<300), "appended")
    try ingest(universities(300..<340), "appended", appends: true)
    try ingest(universities(200..<380), "appended", appends: true)
    try ingest(
      university("wide", String(repeating: "w", count: 70_000)) + universities(0..<3), "wide")
    try ingest(documents(0..<2_000), "documents", as: .document)
    try ingest(documents(2_000..<2_100), "documents", appends: true, as: .document)
    try ingest(keyedDocuments, "keyed", as: .document, at: "/data")
    _ = try database.delete(FeedName("deleted"))
    // The last commit changes what is read, so that a read of the commit before it is detected.
    try ingest(comments, "comments")
    try buildImages(in: directory + "/store")
  }

  private static let images = (0..<250).map { KnownImage(tag: $0, count: 200 + 7 * $0) }
  private static let largeImages = (250..<253).map { KnownImage(tag: $0, count: 300_000) }

  private static func buildImages(in directory: String) throws {
    let store = try ImageStore.open(at: directory)
    func put(_ image: KnownImage, _ bytes: [UInt8]) throws {
      try store.insert(bytes.span.bytes, for: url(image))
    }
    for image in images[..<20] { try put(image, [1, 2, 3]) }
    // The last image is new, so it is missing if the state before its commit is read.
    for image in largeImages + images { try put(image, image.bytes) }
  }

  private static func url(_ image: KnownImage) -> String { KnownImage.url("\(image.tag)") }

  /// All reads of the store.
  static func plan() throws -> ReadingPlan {
    var steps = [ReadingPlan.Step.list]
    func add(_ name: String, _ keys: [String]) throws {
      let name = try FeedName(name)
      steps += [.describe(name), .scan(name)]
      steps += keys.map { .lookUp(name, Array($0.utf8)) }
    }
    for name in smallFeeds { try add(name, ["key 1", "key 2"]) }
    try add("large", stride(from: 0, to: 2 * largeCount, by: 97).map { "key \($0)" })
    try add("appended", stride(from: 0, to: 500, by: 19).map { "key \($0)" })
    try add("wide", ["wide", "key 2", "key 3"])
    try add("documents", stride(from: 0, to: 2_200, by: 37).map { "\($0)" })
    try add("keyed", ["key\n1", "key\n39", "key 1"])
    steps += try ["documents", "keyed"].map { .envelope(try FeedName($0)) }
    try add("comments", [])
    let comments = try FeedName("comments")
    steps += (0..<4).map { .lookUp(comments, [UInt8](repeating: $0, count: 16)) }
    steps += try ["deleted", "none"].map { .describe(try FeedName($0)) }
    steps += (images + largeImages).map { .image(url($0)) }
    steps.append(.image(KnownImage.url("none")))
    return ReadingPlan(steps: steps)
  }

  private static func documents(_ numbers: Range<Int>) -> String {
    let records = numbers.map { number in
      #"{"id":\#(number),"v":[\#(number).50,"\u00e9"],"n":null}"#
    }
    return "[" + records.joined(separator: ",\n") + "]"
  }

  /// Members in an object whose surrounding text is stored in several parts.
  private static var keyedDocuments: String {
    let members = (0..<40).map { #""key\n\#($0)":{"a":\#($0)}"# }
    let text = (0..<30_000).map { "\($0)" }.joined(separator: ",")
    return #"{"text":[\#(text)],"data":{\#(members.joined(separator: ","))},"end":[\#(text)]}"#
  }

  private static func universities(_ numbers: Range<Int>) -> String {
    numbers.map { university("key \($0)", "page \($0)") }.joined()
  }

  private static func university(_ name: String, _ page: String) -> String {
    #"{"name":"\#(name)","web_pages":["\#(page)"],"country":"C","alpha_two_code":"XX"}"# + "\n"
  }

  private static var comments: String {
    let items = (0..<3).map { number in
      let pair = "0\(number)"
      let four = pair + pair
      return #"{"id":"\#(four)\#(four)-\#(four)-\#(four)-\#(four)-\#(four)\#(four)\#(four)","#
        + #""message":"m","created_at":"2020-05-20T11:24:59Z","author":{"username":"u"}}"#
    }
    return #"{"page":1,"items":[\#(items.joined(separator: ","))],"last":true}"#
  }
}
