package import FeedStorage

/// Documents whose records conform to the contracts of the apps and have further keys.
package enum AppDocuments {
  package struct Kind: Sendable {
    package let name: String
    /// The key of the records in the document; nil for an array.
    package let recordKey: String?
    package let records: [String]
    /// The value of the contract's key of each record.
    package let keys: [String]

    /// The document with all records, or with some.
    package func document(_ records: [String]? = nil) -> String {
      let array = "[" + (records ?? self.records).joined(separator: ",\n ") + "]"
      return recordKey.map { #"{"info":{"pages":1},"\#($0)":\#(array)}"# } ?? array
    }
  }

  package static let universities = Kind(
    name: "universities", recordKey: nil,
    records: [
      #"{"name":"São \"A\"","web_pages":["http://a.br/"],"country":"Brazil","alpha_two_code":"BR","founded":1900}"#,
      #"{"founded":null,"country":"Japan","name":"B","domains":["b.jp","b.ac.jp"],"web_pages":[],"alpha_two_code":"JP","state-province":"Tokyo"}"#,
    ], keys: [#"São "A""#, "B"])

  package static let characters = Kind(
    name: "characters", recordKey: "results",
    records: [
      #"{"id":1,"name":"Rick","status":"Alive","species":"Human","image":"https://e.com/r.png","origin":{"name":"Earth","url":""}}"#,
      #"{"id":2,"name":"Morty","status":"Dead","species":"Human","image":"https://e.com/m.png","episode":["1","2"]}"#,
      #"{"id":3,"name":"Rick","status":"unknown","species":"Robot","image":"https://e.com/x.png"}"#,
    ], keys: ["Rick", "Morty", "Rick"])

  package static let images = Kind(
    name: "feed", recordKey: "items",
    records: [
      #"{"id":"2ab2ae66-a4b7-4a16-b374-51bbac8db086","location":null,"image":"https://e.com/1.jpg","likes":3}"#,
      #"{"likes":{},"id":"AB2AE66A-A4B7-4A16-B374-51BBAC8DB086","description":"D","image":"https://e.com/2.jpg"}"#,
    ],
    keys: ["2ab2ae66-a4b7-4a16-b374-51bbac8db086", "AB2AE66A-A4B7-4A16-B374-51BBAC8DB086"])

  package static let comments = Kind(
    name: "comments", recordKey: "items",
    records: [
      #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20T11:24:59+02:00","author":{"id":7,"username":"u"}}"#
    ], keys: ["2AB2AE66-A4B7-4A16-B374-51BBAC8DB086"])

  package static let news = Kind(
    name: "news", recordKey: "articles",
    records: [
      #"{"source":{"id":null,"name":"N","country":"us"},"author":"A","title":"First","description":null,"url":"https:\/\/e.com\/a","urlToImage":"https://e.com/a.jpg","publishedAt":"2020-05-19T00:22:40Z","content":"…","language":"en"}"#,
      #"{"source":{"id":"n","name":"N"},"title":"Second","url":"https://e.com/b","publishedAt":"2020-05-18T00:22:40Z","language":"de"}"#,
    ], keys: ["https://e.com/a", "https://e.com/b"])

  package static let all = [universities, characters, images, comments, news]

  /// Ingests a document as the command line does without an option.
  ///
  /// - Parameter feed: the name; nil for that of the kind followed by `-documents`.
  @discardableResult
  package static func publish(
    _ kind: Kind, _ records: [String]? = nil, as feed: String? = nil, in database: FeedDatabase,
    change: (inout IngestOptions) -> Void = { _ in }
  ) throws -> FeedDescription {
    var options = IngestOptions()
    options.feed = try FeedName(feed ?? kind.name + "-documents")
    change(&options)
    let push = database.push(from: "document.json", options: options)
    try push.feed(kind.document(records).utf8)
    return try push.finish().feed
  }
}
