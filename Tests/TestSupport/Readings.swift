package import FeedSchema
package import FeedStorage

/// A payload that no part of FeedCore knows: readings of sensors, with nested fields, an optional
/// one, a date, a whole number, a list and an index.
package enum Readings {
  package static let schema = makeSchema()

  package static let document = """
    {"source": "test", "readings": [
      {"sensor": {"id": "s-1", "place": {"city": "Porto"}}, "at": "2026-11-25T06:30:00Z",
       "count": 42, "tags": ["roof", "north"]},
      {"sensor": {"id": "s-2"}, "at": "2026-11-25T07:00:00Z", "count": -7, "tags": []}
    ]}
    """

  /// The records as FeedCore writes them.
  package static let lines = [
    #"{"sensor":{"id":"s-1","place":{"city":"Porto"}},"at":"2026-11-25T06:30:00Z","count":42,"#
      + #""tags":["roof","north"]}"#,
    #"{"sensor":{"id":"s-2"},"at":"2026-11-25T07:00:00Z","count":-7,"tags":[]}"#,
  ]

  /// The schema's text as it is stored.
  package static let text =
    #"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","#
    + #""required":["sensor","at","count","tags"],"x-feedcore":{"version":1,"kind":"readings","#
    + #""identifier":1001,"form":"flat","strict":true,"records":"/readings","#
    + #""key":["sensor.id"]},"properties":{"sensor":{"type":"object","required":["id"],"#
    + #""properties":{"id":{"type":"string","x-feedcore":{"id":1}},"place":{"type":"object","#
    + #""required":[],"properties":{"city":{"type":["string","null"],"x-feedcore":{"id":2}}}}}},"#
    + #""at":{"type":"string","format":"date-time","x-feedcore":{"id":3}},"#
    + #""count":{"type":"integer","x-feedcore":{"id":4}},"tags":{"type":"array","#
    + #""items":{"type":"string"},"x-feedcore":{"id":5,"index":true}}}}"#

  /// Publishes the readings as a feed.
  @discardableResult
  package static func publish(
    in database: FeedDatabase, as name: String = "readings", _ document: String = document,
    appends: Bool = false
  ) throws -> FeedDescription {
    var options = IngestOptions()
    options.feed = try FeedName(name)
    options.schema = schema
    options.appends = appends
    let push = database.push(from: "readings", options: options)
    try push.feed(document.utf8)
    return try push.finish().feed
  }

  private static func makeSchema() -> PayloadSchema {
    do {
      return try PayloadSchema(
        name: "readings", identifier: 1_001, recordKey: "readings", key: 1,
        fields: [
          .init(id: 1, "sensor", "id", kind: .text),
          .init(id: 2, "sensor", "place", "city", kind: .text, isRequired: false),
          .init(id: 3, "at", kind: .date),
          .init(id: 4, "count", kind: .integer),
          .init(id: 5, "tags", kind: .textList, isIndexed: true),
        ])
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
