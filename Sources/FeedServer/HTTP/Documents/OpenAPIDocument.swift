import FeedSchema
import JSONStream

/// The content of `/openapi.json`, which describes the paths (OpenAPI 3.1).
struct OpenAPIDocument: Sendable {
  /// The document of a server without authentication.
  static let open = OpenAPIDocument(isGuarded: false)
  /// The document of a server that requires credentials.
  static let guarded = OpenAPIDocument(isGuarded: true)

  let text: [UInt8]
  let tag: String

  private init(isGuarded: Bool) {
    var line = JSONLine()
    line.add("openapi", "3.1.0")
    line.add("info", json: Self.information.utf8)
    if isGuarded { line.add("security", json: #"[{"basic":[]},{"bearer":[]}]"#.utf8) }
    line.add("paths", json: Self.paths.utf8)
    line.add("components", json: Self.components.utf8)
    text = line.text + [0x0A]
    tag = ContentTag.text(text)
  }

  private static let information =
    #"{"title":"FeedCore","version":"1","description":"Feeds and images of a store."}"#

  private static let paths = """
    {
    "/feeds":{"get":{"operationId":"listFeeds","summary":"All feeds",
    "parameters":[\(condition)],
    "responses":{"200":\(json("The feeds by name", array("Feed"))),\(failures)}}},
    "/feeds/{name}":{"get":{"operationId":"readFeed","summary":"A page of a feed, or all of it as lines",
    "parameters":[\(feedName),
    \(query("limit", #"{"type":"integer","minimum":1,"maximum":1000}"#)),
    \(query("cursor", #"{"type":"string","pattern":"^[0-9a-z]+[.][0-9a-z]+$"}"#)),
    \(query("format", #"{"type":"string","enum":["json","ndjson","jsonfeed","atom"]}"#)),\(condition)],
    "responses":{"200":{"description":"Records, with a link to the next page","headers":{\(validators),"Link":{"schema":{"type":"string"}}},"content":{
    "application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Feed"},{"required":["records","next"],"properties":{"records":{"type":"array","items":{"type":"object"}},"next":{"type":["string","null"]},"stale":{"type":"boolean"}}}]}},
    "application/x-ndjson":{},"application/feed+json":{"schema":{"type":"object","required":["version","title","items"]}},"application/atom+xml":{}}},
    "410":{"description":"The cursor is of a generation that was replaced: begin again","content":\(problem)},\(failures)}}},
    "/feeds/{name}/records/{key}":{"get":{"operationId":"readRecord","summary":"The first record of a key, or all of them",
    "parameters":[\(feedName),{"name":"key","in":"path","required":true,"schema":{"type":"string","minLength":1}},
    \(query("all", #"{"type":"string","enum":["0","1"]}"#)),\(condition)],
    "responses":{"200":\(json("A record, or an array of them", #"{"type":["object","array"]}"#)),\(failures)}}},
    "/images":{"get":{"operationId":"readImage","summary":"An image by its URL",
    "parameters":[{"name":"url","in":"query","required":true,"schema":{"type":"string","minLength":1}},
    {"name":"Range","in":"header","description":"One range of bytes; what is none is passed over","schema":{"type":"string"}},\(condition)],
    "responses":{"200":{"description":"The image","headers":{\(validators)},"content":\(image)},
    "206":{"description":"A part of it","headers":{\(validators),\(contentRange)},"content":\(image)},
    "416":{"description":"Nothing of it lies there","headers":{\(contentRange)}},\(failures)}}},
    "/v1/feed":{"get":{"operationId":"imageFeed","summary":"Images behind the one of an id (Essential App)",
    "parameters":[\(query("limit", #"{"type":"integer","minimum":1,"maximum":1000}"#)),
    \(query("after_id", #"{"type":"string","format":"uuid"}"#)),\(condition)],
    "responses":{"200":\(json("Images", list("items", "feed"))),\(failures)}}},
    "/v1/image/{id}/comments":{"get":{"operationId":"imageComments","summary":"Comments on an image (Essential App)",
    "parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string","format":"uuid"}},\(condition)],
    "responses":{"200":\(json("Comments", list("items", "comments"))),\(failures)}}},
    "/search":{"get":{"operationId":"universities","summary":"Universities by name and country (ListApp)",
    "parameters":[\(query("name", search)),\(query("country", search)),\(condition)],
    "responses":{"200":\(json("Universities", array("universities"))),\(failures)}}},
    "/api/character":{"get":{"operationId":"characters","summary":"A page of characters (Rick and Morty App)",
    "parameters":[\(page),\(query("name", search)),\(query("status", search)),\(condition)],
    "responses":{"200":\(json("Characters", #"{"type":"object","required":["info","results"],"properties":{"info":{"type":"object","required":["count","pages","next","prev"],"properties":{"count":{"type":"integer"},"pages":{"type":"integer"},"next":{"type":["string","null"]},"prev":{"type":["string","null"]}}},"results":\#(array("characters"))}}"#)),\(failures)}}},
    "/v2/top-headlines":{"get":{"operationId":"headlines","summary":"A page of articles (EssentialNews)",
    "parameters":[\(page),\(query("pageSize", #"{"type":"integer","minimum":1,"maximum":100}"#)),\(query("q", search)),\(condition)],
    "responses":{"200":\(json("Articles", #"{"type":"object","required":["status","totalResults","articles"],"properties":{"status":{"const":"ok"},"totalResults":{"type":"integer"},"articles":\#(array("news"))}}"#)),\(failures)}}},
    "/healthz":{"get":{"operationId":"health","summary":"Whether the process answers","security":[],"responses":{"200":\(plain)}}},
    "/readyz":{"get":{"operationId":"readiness","summary":"Whether it is to be sent requests","security":[],"responses":{"200":\(plain),"503":\(plain)}}},
    "/metrics":{"get":{"operationId":"metrics","summary":"Counts for Prometheus","responses":{"200":\(plain),"401":\(unauthorized)}}},
    "/openapi.json":{"get":{"operationId":"description","summary":"This document","parameters":[\(condition)],
    "responses":{"200":\(json("This document", #"{"type":"object"}"#)),"304":\(notModified),"401":\(unauthorized)}}}
    }
    """

  private static let components = """
    {
    "securitySchemes":{"basic":{"type":"http","scheme":"basic"},"bearer":{"type":"http","scheme":"bearer"}},
    "parameters":{"IfNoneMatch":{"name":"If-None-Match","in":"header","description":"The tags of what the client has","schema":{"type":"string"}}},
    "headers":{"ETag":{"required":true,"schema":{"type":"string","pattern":"^\\"[^\\"]+\\"$"}},"CacheControl":{"required":true,"schema":{"type":"string"}}},
    "responses":{
    "NotModified":{"description":"The client has it already","headers":{\(validators)}},
    "Unauthorized":{"description":"Credentials are needed","headers":{"WWW-Authenticate":{"required":true,"schema":{"type":"string"}}},"content":\(problem)},
    "Problem":{"description":"Why not (RFC 9457)","content":\(problem)}},
    "schemas":{
    "Problem":{"type":"object","required":["type","title","status","detail"],"properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"}}},
    "Feed":{"type":"object","required":["name","kind","generation","timestamp","total"],"properties":{"name":{"type":"string"},"kind":{"type":"string"},"generation":{"type":"integer"},"timestamp":{"type":["string","null"],"format":"date-time"},"total":{"type":"integer"},"url":{"type":"string"}}},
    \(records)}
    }
    """

  /// The records of the five contracts.
  private static var records: String {
    [PayloadSchema.universities, .feed, .comments, .characters, .news]
      .map { "\"\($0.name)\":" + String(decoding: $0.jsonSchema.text, as: UTF8.self) }
      .joined(separator: ",\n")
  }

  private static let feedName =
    #"{"name":"name","in":"path","required":true,"schema":{"type":"string","pattern":"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"}}"#
  private static let page = query(
    "page", #"{"type":"integer","minimum":1,"maximum":9223372036854775807}"#)
  private static let search = "{\"type\":\"string\",\"maxLength\":\(TextSearch.limit)}"
  private static let condition = ##"{"$ref":"#/components/parameters/IfNoneMatch"}"##
  private static let plain = #"{"description":"Text","content":{"text/plain":{}}}"#
  private static let image = #"{"image/*":{},"application/octet-stream":{}}"#
  private static let problem =
    ##"{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}"##
  private static let notModified = ##"{"$ref":"#/components/responses/NotModified"}"##
  private static let unauthorized = ##"{"$ref":"#/components/responses/Unauthorized"}"##
  private static let validators =
    ##""ETag":{"$ref":"#/components/headers/ETag"},"Cache-Control":{"$ref":"#/components/headers/CacheControl"}"##
  private static let contentRange =
    #""Content-Range":{"required":true,"schema":{"type":"string","pattern":"^bytes ([0-9]+-[0-9]+|[*])/[0-9]+$"}}"#
  private static let failures =
    "\"304\":\(notModified),\"401\":\(unauthorized),"
    + ["400", "404", "502", "503", "504"]
    .map { "\"\($0)\":{\"$ref\":\"#/components/responses/Problem\"}" }.joined(separator: ",")

  private static func json(_ text: String, _ schema: String) -> String {
    "{\"description\":\"\(text)\",\"headers\":{\(validators)},"
      + "\"content\":{\"application/json\":{\"schema\":\(schema)}}}"
  }

  private static func array(_ kind: String) -> String {
    "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/\(kind)\"}}"
  }

  private static func list(_ key: String, _ kind: String) -> String {
    "{\"type\":\"object\",\"required\":[\"\(key)\"],\"properties\":{\"\(key)\":\(array(kind))}}"
  }

  private static func query(_ name: String, _ schema: String) -> String {
    "{\"name\":\"\(name)\",\"in\":\"query\",\"schema\":\(schema)}"
  }
}
