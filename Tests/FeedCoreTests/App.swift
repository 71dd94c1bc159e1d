import FeedCore

/// One of the five apps: its policy, and payloads by its contract.
struct App: Sendable, CustomStringConvertible {
  let policyName: String
  let schema: PayloadSchema
  private let prefix: String
  private let record: @Sendable (Int) -> String

  var description: String { policyName }
  var policy: CachePolicy { CachePolicy.presets[policyName] ?? .essential }

  /// A payload with records of these numbers.
  func payload(_ numbers: some Sequence<Int>) -> String {
    prefix + "[" + numbers.map(record).joined(separator: ",") + "]" + (prefix.isEmpty ? "" : "}")
  }

  /// A payload whose second record is bad.
  var badPayload: String {
    payload([1]).replacing("}]", with: "},{}]")
  }

  private static func image(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    let id = "59916DC3-F218-4838-A5DA-" + String(repeating: "0", count: 12 - digits.count) + digits
    return #"{"id":"\#(id)","image":"https://example.com/\#(number).png"}"#
  }

  static let universities = App(policyName: "universities", schema: .universities, prefix: "") {
    #"{"name":"U\#($0)","domains":[],"web_pages":[],"country":"C","alpha_two_code":"CO"}"#
  }
  static let essential = App(
    policyName: "essential", schema: .feed, prefix: #"{"items":"#, record: image)
  static let feed2020 = App(
    policyName: "feed2020", schema: .feed, prefix: #"{"items":"#, record: image)
  static let characters = App(
    policyName: "characters", schema: .characters, prefix: #"{"results":"#
  ) {
    #"{"name":"N\#($0)","status":"Alive","species":"Human","image":"https://e.com/\#($0).png"}"#
  }
  static let news = App(policyName: "news", schema: .news, prefix: #"{"articles":"#) {
    #"{"source":{"name":"S"},"title":"T\#($0)","url":"https://e.com/\#($0)","#
      + #""publishedAt":"2020-05-20T11:24:59Z"}"#
  }

  static let all = [universities, essential, feed2020, characters, news]
  /// Apps whose caches expire after seven days.
  static let expiring = [essential, feed2020, news]
  static let lasting = [universities, characters]
  /// Apps whose feeds replace the cached ones.
  static let replacing = [universities, essential, feed2020, news]
}
