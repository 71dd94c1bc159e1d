import CFeedScan
import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

/// The walk over documents that no schema names: every value, with its path, kind and span.
@Suite("Values of documents")
struct DocumentValuesTests {
  private func values(
    of document: String, _ validation: JSONOptions.Validation, skipsLines: Bool = false
  ) throws -> (records: [[String]], counts: ValidationCounts) {
    let consumer = ValueConsumer(skipsRecords: skipsLines)
    var options = JSONOptions()
    options.validation = validation
    options.lanes = 1
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    try reader.feed(Array(document.utf8).span.bytes)
    try reader.finish()
    return (consumer.records, reader.validationCounts)
  }

  @Test("each value of a record has its path, kind and source text")
  func allValues() throws {
    let (records, _) = try values(
      of: #"[{"a": "x\n", "b": [1, {"c": null}, []], "d": {"e": {"f": true}}, "g": -1.5e3}]"#,
      .replay)
    #expect(
      records == [
        [
          #"a string x\n"#, "b array [", "b[] number 1", "b[] object {", "b[].c null null",
          "b[] end }", "b[] array [", "b[] end ]", "b end ]", "d object {", "d.e object {",
          "d.e.f true true", "d.e end }", "d end }", "g number -1.5e3",
        ]
      ])
  }

  @Test(
    "a record that is no object is marked in the last slot",
    arguments: [JSONOptions.Validation.replay, .yajl, .both])
  func others(_ validation: JSONOptions.Validation) {
    let records: [(text: String, kind: TapeEntry.Kind)] = [
      (#"{"a":[]}"#, .absent), ("[1]", .array), (#""x""#, .string), ("{}", .absent),
      ("5", .number), ("null", .null), ("true", .true), ("[]", .array),
    ]
    var options = JSONOptions()
    options.validation = validation
    let lane = Lane(selection: .everything, options: options, baseDepth: 1, isArray: true)
    for (text, kind) in records {
      let bounds = [0..<text.utf8.count]
      withScannedText(Array(text.utf8) + [UInt8](repeating: 0, count: 64)) { text in
        bounds.withUnsafeBufferPointer { #expect(lane.validate(text, $0) == 1) }
        lane.withTape(from: 0) { tape in
          #expect(tape.entries(of: 0)[tape.slotCount - 1].kind == kind)
        }
      }
    }
  }

  @Test("replay gives the same values as YAJL, for records of many forms")
  func replayed() throws {
    let records = (0..<3_000).map { index in
      let list = (0..<index % 3).map { #"{"k\#($0)": \#($0 == 1 ? "null" : "\"v\(index)\"")}"# }
      return """
        {"id":\(index),"text":"t\\u00e9\(index)","flags":[true,false,null,\(index)],
         "list":[\(list.joined(separator: ","))],"deep":{"a":{"b":{"c":[[\(index)],[]]}}}}
        """
    }
    let document = "[\(records.joined(separator: ",\n"))]"
    let (expected, judged) = try values(of: document, .yajl)
    let (found, counts) = try values(of: document, .replay)
    #expect(found == expected)
    #expect(judged.replayed == 0 && counts.replayed > 2_980)
    #expect(try values(of: document, .both).records == expected)
  }

  @Test("paths of rejected records, which depend on the run, do not count as differences")
  func pathsOfRefusedRecords() throws {
    // Enough bad lines to make replay pause. Then YAJL reads on from the last one into the next.
    let lines =
      [#"{"a":1}"#] + Array(repeating: "{]", count: 70) + [#"{"x":"#, #"{"y":1}"#, #"{"z":2}"#]
    let document = lines.joined(separator: "\n")
    let expected = ["a number 1", "y number 1", "z number 2"].map { [$0] }
    for validation in JSONOptions.Validation.allCases {
      #expect(try values(of: document, validation, skipsLines: true).records == expected)
    }
  }

  @Test("the steps count the values of validated records only")
  func counters() throws {
    var text: [UInt8] = []
    var bounds: [Range<Int>] = []
    for index in 0..<600 {
      let start = text.count
      // Every fifth record ends in an unknown step after known ones.
      let end = index % 5 == 4 ? #""end\#(index)":\#(index)"# : #""end":"e""#
      text += Array(#"{"a":[1,"\#(index)",null,{"b":true}],\#(end)}"#.utf8)
      bounds.append(start..<text.count)
      text.append(0x2C)
    }
    text += [UInt8](repeating: 0, count: 64)
    var options = JSONOptions()
    options.validation = .replay
    let lane = Lane(selection: .everything, options: options, baseDepth: 1, isArray: true)
    var expected: [ReplayProgram.ValueForm: UInt64] = [:]
    withScannedText(text) { text in
      bounds.withUnsafeBufferPointer { bounds in
        for record in bounds.indices {
          let one = UnsafeBufferPointer(rebasing: bounds[record...record])
          #expect(lane.validate(text, one) == 1)
          guard lane.takeCounts().replayed == 1 else { continue }
          lane.withTape(from: 0) { tape in
            let values = tape.elements(of: tape.entries(of: 0)[0])
            for index in values.indices {
              let form = ReplayProgram.ValueForm(path: values[index].path, kind: values[index].kind)
              expected[form, default: 0] += 1
            }
          }
        }
      }
    }
    #expect(expected.count > 6)
    #expect(lane.replay?.valueCounts == expected)
  }
}

/// Collects every value of every record as text.
private final class ValueConsumer: RecordConsumer {
  let recordKeys = ["items"]
  fileprivate(set) var records: [[String]] = []
  let skipsRecords: Bool

  init(skipsRecords: Bool) { self.skipsRecords = skipsRecords }

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    .selected(.everything) { [self] in ValueBatch(self) }
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard skipsRecords, error.kind != .internal else { throw error }
  }
}

private final class ValueBatch: LaneBatch {
  private let consumer: ValueConsumer
  private var records: [[String]] = []

  init(_ consumer: ValueConsumer) { self.consumer = consumer }

  var recordCount: Int { records.count }

  func deliver() -> Bool {
    consumer.records += records
    records = []
    return true
  }

  func removeRecords(from index: Int) {
    records.removeSubrange(index...)
  }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      let values = tape.elements(of: tape.entries(of: record)[0])
      var texts: [String] = []
      for index in values.indices {
        let value = values[index]
        let keys = tape.keys(to: value) ?? []
        let path = keys.reduce(into: "") { path, key in
          path += key.map { path.isEmpty ? $0 : ".\($0)" } ?? "[]"
        }
        let text = tape.bytes(of: value).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        texts.append("\(path) \(name(of: value.kind)) \(text)")
      }
      records.append(texts)
    }
    return nil
  }
}

private func name(of kind: TapeEntry.Kind) -> String {
  switch kind {
  case .null: "null"
  case .true: "true"
  case .false: "false"
  case .number: "number"
  case .string: "string"
  case .object: "object"
  case .array: "array"
  case .end: "end"
  case .absent, .list, .group, .repeated: "unexpected"
  }
}
