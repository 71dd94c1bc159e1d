import JSONStream
import Testing

/// What a consumer with a plan receives, framing by framing.
@Suite("Reading records that a plan locates")
struct PlannedFramingTests {
  private func read(
    _ document: String, _ plan: DocumentPlan?, chunk: Int = Int.max, planningBytes: Int = 16
  ) -> PlannedReading {
    PlannedReading(
      Array(document.utf8), plan, PlannedReading.Manner(chunks: [chunk]),
      planningBytes: planningBytes)
  }

  @Test("the elements of an array at any depth are records of any type", arguments: [1, 6, .max])
  func array(chunk: Int) {
    let document =
      #"{"m": {"items": [0]}, "data": {"items": [{"a":1}, 2, "x", [3], null], "n": 1}}"#
    let reading = read(document, DocumentPlan(.array, at: ["data", "items"]), chunk: chunk)
    #expect(reading.error == nil)
    #expect(reading.records == [#"{"a":1}"#, "2", #""x""#, "[3]", "null"])
    #expect(reading.before == #"{"m":{"items":[0]},"data":{"items":["#)
    #expect(reading.after == #"],"n":1}}"#)
  }

  @Test("the keys on the path are compared after their escapes are decoded")
  func escapedPath() {
    let reading = read(#"{"d\u0061ta":{"a\/b":[1]}}"#, DocumentPlan(.array, at: ["data", "a/b"]))
    #expect(reading.records == ["1"])
    #expect(reading.before == #"{"d\u0061ta":{"a\/b":["#)
  }

  @Test("member values are records, and their keys are as in the input", arguments: [1, 6, .max])
  func keyed(chunk: Int) {
    let document = #"{"a": {"x":1}, "b\"c" : 2 ,"": [] , "d:,{" :{"y":"\\"},"e":"}"}"#
    let reading = read(document, DocumentPlan(.keyed), chunk: chunk)
    #expect(reading.error == nil)
    #expect(reading.records == [#"{"x":1}"#, "2", "[]", #"{"y":"\\"}"#, #""}""#])
    #expect(reading.keys == ["a", #"b\"c"#, "", "d:,{", "e"])
    #expect(reading.before == "{")
    #expect(reading.after == "}")
  }

  @Test("an error in a member has the path of its decoded key", arguments: [1, 6, .max])
  func pathOfMember(chunk: Int) {
    let start = #"{"d":{"a":{"x":1},"\u0062/":{"y":"#
    for (rest, offset, pointer) in [
      ("tru}}}", start.utf8.count, "/d/b~1/y"),
      ("1},\"c\":[1,]}}", start.utf8.count + 10, "/d/c/1"),
      ("1},\"c\":{} \"e\":1}}", start.utf8.count + 10, "/d/c"),
      ("1},\"c\":12,}}", start.utf8.count + 10, "/d"),
    ] {
      let reading = read(start + rest, DocumentPlan(.keyed, at: ["d"]), chunk: chunk)
      #expect(reading.error?.byteOffset == offset, "\(rest)")
      #expect(reading.error?.pointer == pointer, "\(rest)")
    }
  }

  @Test("the first row stays in the envelope", arguments: [1, 6, .max])
  func rows(chunk: Int) {
    let reading = read(#"[ ["id", "x y"] , [1,2], [3, 4] ]"#, DocumentPlan(.rows), chunk: chunk)
    #expect(reading.records == ["[1,2]", "[3, 4]"])
    #expect(reading.before == #"[["id","x y"]"#)
    #expect(reading.after == "]")
    let broken = read(#"[["id"],[1],[tru]]"#, DocumentPlan(.rows), chunk: chunk)
    #expect(broken.error?.pointer == "/2/0")
    #expect(broken.error?.record == 2)
  }

  @Test("lines may be scalars, and each invalid line is one bad record", arguments: [1, 6, .max])
  func lines(chunk: Int) {
    let document = "1\n\n\"a\"\r\n {\"b\":2} \n[3]\ntru\n1 2\nnull\n-0.5"
    let reading = read(document, DocumentPlan(.lines), chunk: chunk)
    #expect(reading.records == ["1", #""a""#, #"{"b":2}"#, "[3]", "null", "-0.5"])
    #expect(reading.rejected.map(\.record) == [5, 6])
    #expect(reading.rejected.map(\.byteOffset) == [25, 28])
  }

  @Test("values follow one another with or without white space", arguments: [1, 6, .max])
  func concatenated(chunk: Int) {
    let document = "{\n \"a\": 1\n}{\"b\":2}\n3 \"x\"\"y\"[4]null 5"
    let reading = read(document, DocumentPlan(.concatenated), chunk: chunk)
    #expect(reading.error == nil)
    #expect(
      reading.records == [
        "{\n \"a\": 1\n}", #"{"b":2}"#, "3", #""x""#, #""y""#, "[4]", "null", "5",
      ])
  }

  @Test(
    "a bad value ends the reading at its offset",
    arguments: [
      ("{} 12a {}", 5), ("{} truefalse", 7), ("{} ] {}", 3), ("{} , {}", 3), ("{} {\"a\":}", 8),
      ("{} \"abc", 7), ("{} [1", 5), ("1 01", 3), ("{}\u{1E}{}", 2),
    ])
  func badValue(document: String, offset: Int) {
    for chunk in [1, 3, Int.max] {
      let reading = read(document, DocumentPlan(.concatenated), chunk: chunk)
      #expect(reading.error?.byteOffset == offset, "\(document)")
      #expect(reading.error?.record == 2 || document.contains("\u{1E}"), "\(document)")
      #expect(reading.records.count == 1 || document.contains("\u{1E}"), "\(document)")
    }
  }

  @Test("record separators precede the values of a sequence", arguments: [1, 6, .max])
  func sequence(chunk: Int) {
    let document = "\u{1E}{\"a\":1}\n\u{1E}2\n\u{1E}\u{1E}\"x\"\n"
    let reading = read(document, DocumentPlan(.sequence), chunk: chunk)
    #expect(reading.records == [#"{"a":1}"#, "2", #""x""#])
    let cut = read("\u{1E}{\"a\":1\u{1E}{}", DocumentPlan(.sequence), chunk: chunk)
    #expect(cut.error?.byteOffset == 7)
  }

  @Test("a value of any type can be the only record", arguments: [1, 6, .max])
  func single(chunk: Int) {
    for value in [#"{"items":[1]}"#, "[1, 2]", "12", #""a""#, "null"] {
      let reading = read(" \(value)\n", DocumentPlan(.single), chunk: chunk)
      #expect(reading.records == [value])
      #expect(reading.before + reading.after == "")
    }
    let garbage = read("{} {}", DocumentPlan(.single), chunk: chunk)
    #expect(garbage.error?.byteOffset == 3)
    #expect(garbage.records == ["{}"])
  }

  @Test("the plan is made from the same bytes for any chunks")
  func head() {
    let document = "\u{FEFF} \n[1,2,3,4,5,6,7,8,9]"
    for chunk in [1, 2, 5, Int.max] {
      let long = read(document, DocumentPlan(.array), chunk: chunk, planningBytes: 5)
      #expect(long.head == Array("[1,2,".utf8))
      #expect(!long.isComplete)
      let short = read(document, DocumentPlan(.array), chunk: chunk, planningBytes: 100)
      #expect(short.head == Array("[1,2,3,4,5,6,7,8,9]".utf8))
      #expect(short.isComplete)
      #expect(short.records == long.records)
    }
    let fault = Array("[1,2,".utf8) + [0xFF] + Array("3]".utf8)
    for chunk in [1, 3, Int.max] {
      let reading = PlannedReading(
        fault, DocumentPlan(.array), PlannedReading.Manner(chunks: [chunk]), planningBytes: 100)
      #expect(reading.head == Array("[1,2,".utf8))
      #expect(!reading.isComplete)
      #expect(reading.error?.byteOffset == 5)
      #expect(reading.records == ["1", "2"])
    }
  }

  @Test("without a plan, the records are found by their keys")
  func noPlan() {
    for chunk in [1, 6, Int.max] {
      let reading = read(#"{"n":1,"items":[{"a":1},{"b":2}]}"#, nil, chunk: chunk)
      #expect(reading.head?.count == 16)
      #expect(reading.records == [#"{"a":1}"#, #"{"b":2}"#])
    }
  }

  @Test("an input without a value has no records if there is a plan", arguments: ["", " \n "])
  func empty(document: String) {
    let planned = read(document, DocumentPlan(.array))
    #expect(planned.head == [])
    #expect(planned.isComplete)
    #expect(planned.error == nil)
    #expect(planned.records == [])
    #expect(read(document, nil).error?.kind == .truncated)
  }
}
