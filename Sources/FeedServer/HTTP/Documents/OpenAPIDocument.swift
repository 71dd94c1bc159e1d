/// What `/openapi.json` says of the paths (OpenAPI 3.1).
enum OpenAPIDocument {
  static let text = Array(source.utf8)
  static let tag = ContentTag.text(text)

  private static let source = """
    {"openapi":"3.1.0",
    "info":{"title":"FeedCore","version":"1","description":"Feeds and images of a store."},
    "paths":{
    "/feeds":{"get":{"operationId":"listFeeds","summary":"All feeds",
    "responses":{"200":\(json("The feeds by name", feeds)),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/feeds/{name}":{"get":{"operationId":"readFeed","summary":"A page of a feed, or all of it as lines",
    "parameters":[\(feedName),
    \(query("limit", #"{"type":"integer","minimum":1,"maximum":1000}"#)),
    \(query("cursor", #"{"type":"string","pattern":"^[0-9a-z]+[.][0-9a-z]+$"}"#)),
    \(query("format", #"{"type":"string","enum":["json","ndjson","jsonfeed","atom"]}"#))],
    "responses":{"200":{"description":"Records, with a link to the next page","content":{
    "application/json":{"schema":{"type":"object","required":["name","kind","generation","total","records","next"]}},
    "application/x-ndjson":{},"application/feed+json":{"schema":{"type":"object","required":["version","items"]}},"application/atom+xml":{}}},
    "304":{"$ref":"#/components/responses/NotModified"},"410":{"$ref":"#/components/responses/Problem"},\(failures)}}},
    "/feeds/{name}/records/{key}":{"get":{"operationId":"readRecord","summary":"The first record of a key, or all of them",
    "parameters":[\(feedName),{"name":"key","in":"path","required":true,"schema":{"type":"string","minLength":1}},
    \(query("all", #"{"type":"string","enum":["0","1"]}"#))],
    "responses":{"200":\(json("A record, or an array of them", #"{"type":["object","array"]}"#)),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/images":{"get":{"operationId":"readImage","summary":"An image by its URL",
    "parameters":[{"name":"url","in":"query","required":true,"schema":{"type":"string","minLength":1}},
    {"name":"Range","in":"header","schema":{"type":"string","pattern":"^bytes=[0-9]+-[0-9]*$"}}],
    "responses":{"200":{"description":"The image","content":{"image/*":{},"application/octet-stream":{}}},
    "206":{"description":"A part of it","content":{"image/*":{},"application/octet-stream":{}}},
    "304":{"$ref":"#/components/responses/NotModified"},"416":{"description":"Nothing of it lies there"},
    \(failures)}}},
    "/v1/feed":{"get":{"operationId":"imageFeed","summary":"Images behind the one of an id (Essential App)",
    "parameters":[\(query("limit", #"{"type":"integer","minimum":1,"maximum":1000}"#)),
    \(query("after_id", #"{"type":"string","format":"uuid"}"#))],
    "responses":{"200":\(json("Images", list("items"))),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/v1/image/{id}/comments":{"get":{"operationId":"imageComments","summary":"Comments on an image (Essential App)",
    "parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string","format":"uuid"}}],
    "responses":{"200":\(json("Comments", list("items"))),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/search":{"get":{"operationId":"universities","summary":"Universities by name and country (ListApp)",
    "parameters":[\(query("name", #"{"type":"string"}"#)),\(query("country", #"{"type":"string"}"#))],
    "responses":{"200":\(json("Universities", #"{"type":"array","items":{"type":"object"}}"#)),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/api/character":{"get":{"operationId":"characters","summary":"A page of characters (Rick and Morty App)",
    "parameters":[\(page),\(query("name", #"{"type":"string"}"#)),\(query("status", #"{"type":"string"}"#))],
    "responses":{"200":\(json("Characters", #"{"type":"object","required":["info","results"]}"#)),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/v2/top-headlines":{"get":{"operationId":"headlines","summary":"A page of articles (EssentialNews)",
    "parameters":[\(page),\(query("pageSize", #"{"type":"integer","minimum":1,"maximum":100}"#)),\(query("q", #"{"type":"string"}"#))],
    "responses":{"200":\(json("Articles", #"{"type":"object","required":["status","totalResults","articles"]}"#)),"304":{"$ref":"#/components/responses/NotModified"},\(failures)}}},
    "/healthz":{"get":{"operationId":"health","summary":"Whether the process answers","responses":{"200":\(plain)}}},
    "/readyz":{"get":{"operationId":"readiness","summary":"Whether it is to be sent requests","responses":{"200":\(plain),"503":\(plain)}}},
    "/metrics":{"get":{"operationId":"metrics","summary":"Counts for Prometheus","responses":{"200":\(plain)}}},
    "/openapi.json":{"get":{"operationId":"description","summary":"This document","responses":{"200":\(json("This document", #"{"type":"object"}"#)),"304":{"$ref":"#/components/responses/NotModified"}}}}
    },
    "components":{"responses":{
    "NotModified":{"description":"The client has it already"},
    "Problem":{"description":"Why not (RFC 9457)","content":{"application/problem+json":{"schema":{"type":"object",
    "required":["type","title","status","detail"],"properties":{"type":{"type":"string"},"title":{"type":"string"},
    "status":{"type":"integer"},"detail":{"type":"string"}}}}}}}}}

    """

  private static let feeds =
    #"{"type":"array","items":{"type":"object","required":["name","kind","generation","total","url"]}}"#
  private static let feedName =
    #"{"name":"name","in":"path","required":true,"schema":{"type":"string","pattern":"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"}}"#
  private static let page = query("page", #"{"type":"integer","minimum":1}"#)
  private static let plain = #"{"description":"Text","content":{"text/plain":{}}}"#
  private static let failures = ["400", "401", "404", "502", "503", "504"]
    .map { "\"\($0)\":{\"$ref\":\"#/components/responses/Problem\"}" }.joined(separator: ",")

  private static func json(_ text: String, _ schema: String) -> String {
    "{\"description\":\"\(text)\",\"content\":{\"application/json\":{\"schema\":\(schema)}}}"
  }

  private static func list(_ key: String) -> String {
    "{\"type\":\"object\",\"required\":[\"\(key)\"]}"
  }

  private static func query(_ name: String, _ schema: String) -> String {
    "{\"name\":\"\(name)\",\"in\":\"query\",\"schema\":\(schema)}"
  }
}
