import RESPClient
import Testing

@Suite("The URL of a cluster")
struct ClusterURLTests {
  @Test("has nodes, a prefix and parameters")
  func everything() throws {
    let url = try ClusterURL(
      "redis-cluster://h1:7000,[::1]:7001,h3/news?near=/var/a%20b&near-cap=2G&read=replica&wait=2"
        + "&eviction=unsafe")
    #expect(
      url.nodes == [
        RESPNode(host: "h1", port: 7000), RESPNode(host: "::1", port: 7001),
        RESPNode(host: "h3", port: 6379),
      ])
    #expect(url.isCluster && url.tls == nil && url.prefix == "news")
    #expect(url.near == "/var/a b" && url.nearCap == "2G")
    #expect(url.reading == .replica && url.wait == 2 && url.eviction == .unsafe)
  }

  @Test(
    "knows four schemes",
    arguments: [
      ("redis-cluster://h", true, false, 1), ("rediss-cluster://h", true, true, 1),
      ("redis://h", false, false, 0), ("rediss://h/", false, true, 0),
    ])
  func schemes(_ text: String, _ isCluster: Bool, _ isSecure: Bool, _ wait: Int) throws {
    let url = try ClusterURL(text)
    #expect(url.isCluster == isCluster && (url.tls != nil) == isSecure && url.wait == wait)
    #expect(url.prefix == "fc" && url.reading == .primary && url.eviction == .refuse)
    #expect(url.near == nil && url.nearCap == nil)
    #expect(url.configuration.isCluster == isCluster)
    #expect((url.configuration.tls != nil) == isSecure)
  }

  @Test("names the files and the name of TLS")
  func tls() throws {
    let url = try ClusterURL("rediss://h?ca=/ca.pem&cert=/c.pem&key=/k.pem&server-name=redis.local")
    let tls = try #require(url.configuration.tls)
    #expect(tls.authority == "/ca.pem" && tls.serverName == "redis.local")
    #expect(tls.certificate == "/c.pem" && tls.privateKey == "/k.pem")
  }

  @Test(
    "names the part that is wrong",
    arguments: [
      ("http://h", .scheme), ("h:7000", .scheme), ("redis-cluster:/h", .scheme),
      ("redis-cluster://", .node("")), ("redis-cluster://h:0", .node("h:0")),
      ("redis-cluster://h:65536", .node("h:65536")), ("redis-cluster://h:x", .node("h:x")),
      ("redis-cluster://h1,,h2", .node("")), ("redis-cluster://:7000", .node(":7000")),
      ("redis-cluster://a b", .node("a b")), ("redis://h1,h2", .severalNodes),
      ("redis-cluster://h/a{b}", .prefix("a{b}")), ("redis-cluster://h/a:b", .prefix("a:b")),
      ("redis-cluster://h/a/b", .prefix("a/b")), ("redis-cluster://h#x", .fragment),
      ("redis-cluster://h?x=1", .parameter("x")),
      ("redis-cluster://h?wait=1&wait=2", .repeatedParameter("wait")),
      ("redis-cluster://h?wait=-1", .value(name: "wait", "-1")),
      ("redis-cluster://h?wait=", .value(name: "wait", "")),
      ("redis-cluster://h?read=any", .value(name: "read", "any")),
      ("redis-cluster://h?eviction=lru", .value(name: "eviction", "lru")),
      ("redis-cluster://h?near=%zz", .value(name: "near", "%zz")),
      ("redis-cluster://h?near=%00", .value(name: "near", "%00")),
      ("redis-cluster://h?ca=/ca.pem", .insecure(parameter: "ca")),
      ("rediss://h?cert=/cert.pem", .halfCertificate),
      ("rediss://h?key=/key.pem&ca=/ca.pem", .halfCertificate),
    ] as [(String, ClusterURLError)])
  func errors(_ text: String, _ error: ClusterURLError) {
    #expect(throws: error) { try ClusterURL(text) }
  }

  @Test(
    "refuses credentials without printing them",
    arguments: [
      "redis-cluster://u:secret@h", "redis://:secret@h", "rediss://secret@h/fc",
      "redis://h?password=secret", "redis-cluster://h/fc?auth=secret", "redis://u:sec/ret@h",
      "redis://h?password=sec%ret",
    ])
  func credentials(_ text: String) {
    let error = #expect(throws: ClusterURLError.credentials) { try ClusterURL(text) }
    #expect(error.map { "\($0)".contains("secret") || "\($0)".contains("sec/") } == false)
  }

  @Test("is distinguished from the path of a directory")
  func isURL() {
    #expect(ClusterURL.isURL("redis-cluster://") && ClusterURL.isURL("REDISS://h"))
    #expect(!ClusterURL.isURL("/var/store") && !ClusterURL.isURL("http://h"))
  }
}

@Suite("Slots and nodes")
struct SlotTests {
  @Test(
    "the hash tag of a key determines its slot",
    arguments: [
      ("foo", 12_182), ("", 0), ("123456789", 12_739), ("{foo}", 12_182), ("a{foo}b", 12_182),
      ("{foo}{bar}", 12_182),
    ])
  func tags(_ key: String, _ slot: Int) {
    #expect(RESPKey(key).slot.number == slot)
  }

  @Test("the first hash tag counts, and an empty one has no effect")
  func emptyTag() {
    #expect(RESPKey("{}foo").slot != RESPKey("foo").slot)
    #expect(RESPKey("{}{foo}").slot != RESPKey("foo").slot)
    #expect(RESPKey("{a}{b}").slot == RESPKey("a").slot)
    #expect(RESPKey("}{a}").slot == RESPKey("a").slot)
    #expect(RESPKey("{{a}").slot == RESPKey("{a").slot)
  }

  @Test("slots have numbers up to 16383")
  func numbers() {
    #expect(RESPSlot(16_383)?.number == 16_383)
    #expect(RESPSlot(16_384) == nil && RESPSlot(-1) == nil)
  }

  @Test("a node has a host and a port; an empty host means the host of the sender")
  func nodes() {
    #expect(RESPNode("10.0.0.1:7000") == RESPNode(host: "10.0.0.1", port: 7000))
    #expect(RESPNode("2001:db8::1:7000") == RESPNode(host: "2001:db8::1", port: 7000))
    #expect(RESPNode(":7000") == nil && RESPNode("h:") == nil && RESPNode("h:70000") == nil)
    #expect(RESPNode(":7000", fallback: "h") == RESPNode(host: "h", port: 7000))
    #expect(RESPNode("?:7000", fallback: "h") == RESPNode(host: "h", port: 7000))
    #expect("\(RESPNode(host: "::1", port: 1))" == "[::1]:1")
  }
}
