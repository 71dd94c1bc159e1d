import JSONStream
import Testing

/// Plans that a document does not fit, and documents of any size.
@Suite("Missing, repeated and wrong containers of records")
struct PlannedContainerTests {
  private func read(
    _ document: String, _ plan: DocumentPlan, chunk: Int = Int.max,
    limits: JSONLimits = JSONLimits(), duplicateKeys: JSONOptions.DuplicateKeys = .last,
    occurrence: Int? = nil, canReadAgain: Bool = true
  ) -> PlannedReading {
    PlannedReading(
      Array(document.utf8), plan, PlannedReading.Manner(chunks: [chunk]), limits: limits,
      duplicateKeys: duplicateKeys, occurrence: occurrence, canReadAgain: canReadAgain)
  }

  @Test("a missing container is an error that names the largest ones", arguments: [1, 7, .max])
  func missing(chunk: Int) {
    let rows = Array(repeating: #"{"a":1}"#, count: 400).joined(separator: ",")
    let document = """
       {"data":{"items":[\(rows)],"n":1},"meta":{"a":1,"b":"\(String(repeating: "x", count: 89))"},
        "one":{"x":[1]},"tiny":[1,2],"list":[[1,2,3],[4,5,6]]}
      """
    let reading = read(document, DocumentPlan(.array, at: ["data", "users"]), chunk: chunk)
    #expect(reading.error?.kind == .shape)
    #expect(reading.error?.byteOffset == 1)
    #expect(
      reading.error?.reason
        == "there is nothing at /data/users; the input has /data/items (3.2 kB), "
        + "/meta (103 B), /list (17 B)")
  }

  @Test("a container of another type is reported as such")
  func misfit() {
    let object = read(#"{"a":{"x":1}}"#, DocumentPlan(.array, at: ["a"]))
    #expect(object.error?.reason == "the value at /a is no array")
    #expect(read("[1]", DocumentPlan(.keyed)).error?.reason == "the document is no object")
    #expect(read("12", DocumentPlan(.array)).error?.reason == "the document is no array")
    #expect(read(#"{"a":[[1]]}"#, DocumentPlan(.array, at: ["a", "b"])).error?.kind == .shape)
  }

  @Test("a syntax error comes before the missing container")
  func syntaxFirst() {
    let reading = read(#"{"a":[1,2],}"#, DocumentPlan(.array, at: ["b"]))
    #expect(reading.error?.kind == .syntax)
  }

  @Test(
    "a repeated container follows the option for keys, whatever its second value",
    arguments: [1, 7, .max])
  func repeated(chunk: Int) {
    let plan = DocumentPlan(.array, at: ["d", "i"])
    for second in ["[3]", "{}", "12", #""x""#, "null"] {
      let start = #"{"d":{"i":[1,2],"i": "#
      let document = start + second + "}}"
      let refused = read(document, plan, chunk: chunk, duplicateKeys: .error)
      #expect(refused.error?.kind == .shape)
      #expect(refused.error?.byteOffset == start.utf8.count, "\(second)")
      #expect(refused.error?.pointer == "/d/i")
      let first = read(document, plan, chunk: chunk, duplicateKeys: .first)
      #expect(first.records == ["1", "2"])
      #expect(first.after == "],\"i\":" + second + "}}")
      #expect(!first.hasRepeatedRecords)
      let last = read(document, plan, chunk: chunk)
      #expect(last.records == ["1", "2"])
      // Only a value of the same type can replace the records.
      #expect(last.hasRepeatedRecords == (second == "[3]"))
    }
  }

  @Test("the last of several containers is read by its number", arguments: [1, 7, .max])
  func lastOccurrence(chunk: Int) {
    let document = #"{"i":[1],"x":0,"i":[2],"i":[3,4],"y":0}"#
    let plan = DocumentPlan(.array, at: ["i"])
    let first = read(document, plan, chunk: chunk)
    #expect(first.hasRepeatedRecords)
    #expect(first.occurrences == 3)
    let last = read(document, plan, chunk: chunk, occurrence: first.occurrences)
    #expect(last.records == ["3", "4"])
    #expect(last.before == #"{"i":[1],"x":0,"i":[2],"i":["#)
    #expect(last.after == #"],"y":0}"#)
    #expect(!last.hasRepeatedRecords)
    let stream = read(document, plan, chunk: chunk, canReadAgain: false)
    #expect(stream.error?.kind == .shape)
    #expect(stream.error?.byteOffset == 19)
    #expect(stream.error?.reason.contains("--duplicate-keys first") == true)
  }

  @Test("a larger container next to the records is reported at the end", arguments: [1, 7, .max])
  func better(chunk: Int) {
    let many = Array(repeating: "{}", count: 50).joined(separator: ",")
    for (document, path) in [
      (#"{"m":[1,2],"rows":[\#(many)]}"#, ["rows"]),
      (#"{"m":[1,2],"d":{"n":1,"rows":{"a":[\#(many)],"b":[\#(many)]}}}"#, ["d", "rows", "a"]),
      (#"{"z":{"b":[\#(many)],"c":0},"m":[1,2]}"#, ["z", "b"]),
      (#"{"m":[\#(many)],"rows":[1,2,3]}"#, nil),
      (#"{"m":[1,2],"text":"\#(many)"}"#, nil),
      (#"{"m":[1,2],"l":[[\#(many)]]}"#, nil),
    ] as [(String, [String]?)] {
      let reading = read(document, DocumentPlan(.array, at: ["m"]), chunk: chunk)
      #expect(reading.error == nil)
      #expect(reading.betterPath == path, "\(document)")
    }
  }

  @Test("the values next to the records have no limit")
  func siblings() {
    var limits = JSONLimits()
    limits.siblingBytes = 10
    limits.recordBytes = 20
    let text = String(repeating: "x", count: 500)
    let document = #"{"a":["\#(text)",{"b":1}],"items":[{"c":1}],"d":["\#(text)"]}"#
    for chunk in [1, 7, Int.max] {
      let reading = read(
        document, DocumentPlan(.array, at: ["items"]), chunk: chunk, limits: limits)
      #expect(reading.error == nil)
      #expect(reading.before == #"{"a":["\#(text)",{"b":1}],"items":["#)
      #expect(reading.after == #"],"d":["\#(text)"]}"#)
    }
  }

  @Test("records of any type and framing have a limit", arguments: [1, 7, .max])
  func longRecords(chunk: Int) {
    var limits = JSONLimits()
    limits.recordBytes = 10
    limits.keyBytes = 4
    for (document, plan, offset) in [
      (#"[1,"12345678","123456789"]"#, DocumentPlan(.array), 14),
      (#"[[1],"12345678",["123456789"]]"#, DocumentPlan(.array), 16),
      (#"{"a":"12345678","b":"123456789"}"#, DocumentPlan(.keyed), 20),
      (#"{"a":1,"12345":1}"#, DocumentPlan(.keyed), 7),
      (#"{"a":{},"12345":{}}"#, DocumentPlan(.keyed), 8),
      (#"{"a":1,"b":"# + String(repeating: " ", count: 50) + "1}", DocumentPlan(.keyed), 7),
      (#"{"a":{},"b":"# + String(repeating: " ", count: 50) + "{}}", DocumentPlan(.keyed), 8),
      (#""12345678" "123456789""#, DocumentPlan(.concatenated), 11),
      (#"[1] ["123456789"]"#, DocumentPlan(.concatenated), 4),
      (#" "123456789""#, DocumentPlan(.single), 1),
      (#"[["12345678901"],[1]]"#, DocumentPlan(.rows), 1),
    ] {
      let reading = read(document, plan, chunk: chunk, limits: limits)
      #expect(reading.error?.kind == .limit, "\(document)")
      #expect(reading.error?.byteOffset == offset, "\(document)")
    }
    let sound = [
      (#"["12345678",[1,2,3,4]]"#, DocumentPlan(.array)),
      (#""12345678" [1,2,3,4]"#, DocumentPlan(.concatenated)),
      ("  [1,2,3,4] " + String(repeating: " ", count: 50), DocumentPlan(.single)),
      (#"{"a":"# + String(repeating: " ", count: 20) + "1}", DocumentPlan(.keyed)),
    ]
    for (document, plan) in sound {
      #expect(read(document, plan, chunk: chunk, limits: limits).error == nil, "\(document)")
    }
  }

  @Test("a long string between values may end in any chunk")
  func longStrings() {
    let strings = (0..<20).map { "\"\(String(repeating: "ab\\\\", count: 10 * $0))\"" }
    let document = Array(strings.joined(separator: " ").utf8)
    for chunk in [1, 5, 64, 100] {
      // Every chunk but the last ends inside a string.
      let reading = PlannedReading(
        document, DocumentPlan(.concatenated), PlannedReading.Manner(chunks: [chunk]))
      #expect(reading.records == strings)
    }
  }

  @Test("depth counts from the top of the document")
  func depth() {
    var limits = JSONLimits()
    limits.depth = 4
    for (document, plan, offset) in [
      (#"{"a":{"b":[[1],[[1]]]}}"#, DocumentPlan(.array, at: ["a", "b"]), 16),
      (#"{"a":{"x":{"y":[{}]}}}"#, DocumentPlan(.keyed, at: ["a"]), 16),
      ("[[[[]]]] [[[[[]]]]]", DocumentPlan(.concatenated), 13),
      ("[[[[[]]]]]", DocumentPlan(.single), 4),
    ] {
      for chunk in [1, 7, Int.max] {
        let error = read(document, plan, chunk: chunk, limits: limits).error
        #expect(error?.kind == .limit, "\(document)")
        #expect(error?.byteOffset == offset, "\(document)")
      }
    }
  }
}
