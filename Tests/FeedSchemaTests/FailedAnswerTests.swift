import FeedSchema
import JSONStream
import Testing

@Suite("A document in which a service reports a failure")
struct FailedAnswerTests {
  private static let article =
    #"{"source":{"name":"S"},"title":"T","url":"https://e.com/1","#
    + #""publishedAt":"2020-05-20T11:24:59Z"}"#

  private func fault(_ document: String, _ schema: PayloadSchema?) -> JSONError? {
    do throws(JSONError) {
      // One byte at a time: the verdict does not depend on the chunks.
      let push = PayloadParser(schema: schema).push(named: "answer") { (_) throws(JSONError) in }
      for byte in document.utf8 { try push.feed([byte]) }
      try push.finish()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "is not read as an empty feed, and its code and message are reported",
    arguments: [
      (
        #"{"status":"error","code":"keyInvalid","message":"No such key.","articles":[]}"#,
        PayloadSchema.news, "keyInvalid: No such key."
      ),
      (#"{"articles":[],"status":"error"}"#, .news, "it gives no reason"),
      (#"{"status":"error","code":"keyInvalid","message":"No."}"#, .news, "keyInvalid: No."),
      (#"{"status":"ERROR","articles":[\#(article)],"message":"m"}"#, .news, "m"),
      (#"{"status":500,"articles":[]}"#, .news, "it gives no reason"),
      (#"{"error":{"code":17,"message":"maintenance"},"items":[]}"#, .feed, "17: maintenance"),
      (#"{"items":[],"error":"closed on Sundays"}"#, .comments, "closed on Sundays"),
      (#"{"error":"There is nothing here"}"#, .characters, "There is nothing here"),
      (#"{"error":"There is nothing here"}"#, .universities, "There is nothing here"),
      (#"{"error":"busy","items":null}"#, .feed, "busy"),
      (#"{"error":true,"message":"m","results":[]}"#, .characters, "m"),
      (#"{"errors":[{"code":"E7","message":"m"},{"message":"n"}],"items":[]}"#, .feed, "E7: m"),
      (#"{"error":"denied","error_description":"d","items":[]}"#, .feed, "denied: d"),
    ])
  func refused(document: String, schema: PayloadSchema, words: String) {
    for schema in [schema, nil] where schema != nil || document.contains("[") {
      let error = fault(document, schema)
      #expect(error?.kind == .failedAnswer, "\(document)")
      #expect(error?.reason == "the service answers that it failed: \(words)")
    }
  }

  @Test(
    "is not a document whose status and errors report no failure",
    arguments: [
      (#"{"articles":[]}"#, PayloadSchema.news),
      (#"{"status":"ok","totalResults":0,"articles":[]}"#, .news),
      (#"{"status":"OK","error":null,"articles":[\#(article)]}"#, .news),
      (#"{"status":null,"articles":[]}"#, .news),
      (#"{"error":null,"items":[]}"#, .feed),
      (#"{"error":false,"items":[]}"#, .feed),
      (#"{"error":0,"errors":[],"items":[]}"#, .feed),
      (#"{"error":"","items":[]}"#, .feed),
      (#"{"error":{},"items":[]}"#, .comments),
      (#"{"status":"error","items":[]}"#, .feed),
      ("[]", .universities),
    ])
  func accepted(document: String, schema: PayloadSchema) {
    #expect(fault(document, schema) == nil)
  }

  @Test("is not a page with records and an unrelated error next to them")
  func records() {
    #expect(fault(#"{"error":"no ads","articles":[\#(Self.article)]}"#, .news) == nil)
  }

  @Test("is not a record of another shape, whose own fault is reported")
  func badRecord() {
    let record = #"{"name":"Rick","status":"Alive","species":7,"image":"https://e.com/1.png"}"#
    #expect(fault(record, nil)?.kind == .schema)
    #expect(fault(#"{"status":"Alive"}"#, nil)?.kind == .shape)
  }

  @Test("has its message truncated, and the control characters in it escaped")
  func hostileWords() throws {
    let message = "\\u001b[2J\\n" + String(repeating: "\\u202ex", count: 2_000)
    let error = fault(
      #"{"error":{"code":"\#(String(repeating: "c", count: 500))","message":"\#(message)"},"#
        + #""items":[]}"#, .feed)
    let reason = try #require(error?.reason)
    #expect(reason.contains(String(repeating: "c", count: 64) + "…: \\u001B[2J\\n\\u202Ex"))
    #expect(reason.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    #expect(reason.unicodeScalars.count < 2_000)
  }
}
