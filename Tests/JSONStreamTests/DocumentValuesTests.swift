import CFeedScan
import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

/// The walk over documents without a schema: every value, with its path, kind and span.
@Suite("Values of documents")
struct DocumentValuesTests {
  func values(
    of document: String, _ validation: JSONOptions.Validation, skipsLines: Bool = false,
    sliceBytes: Int = 128 << 10
  ) throws -> (records: [[String]], counts: ValidationCounts) {
    let consumer = ValueConsumer(skipsRecords: skipsLines)
    var options = JSONOptions()
    options.validation = validation
    options.lanes = 1
    options.sliceBytes = sliceBytes
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
    "a record that is not an object is marked in the last slot",
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

  @Test("keys that differ in one byte have paths of their own, in any order and number")
  func keys() throws {
    var keys = [""]
    for length in 1...40 {
      let key = [UInt8](repeating: UInt8(ascii: "k"), count: length)
      keys.append(String(decoding: key, as: UTF8.self))
      for position in 0..<length {
        var other = key
        other[position] = UInt8(ascii: "x")
        keys.append(String(decoding: other, as: UTF8.self))
      }
    }
    let reversed = Array(keys.reversed())
    let texts = [keys, reversed].map { keys in
      "{" + keys.map { #""\#($0)":"\#($0)""# }.joined(separator: ",") + "}"
    }
    // YAJL unescapes a copy of this key.
    let escaped = #"{"\u006b\u006bx":"kkx"}"#
    let (records, _) = try values(
      of: "[" + (texts + [escaped]).joined(separator: ",") + "]", .yajl)
    let expected = [keys, reversed, ["kkx"]].map { keys in keys.map { "\($0) string \($0)" } }
    #expect(records == expected)
  }

  @Test("paths have keys of a maximum number of bytes; further values have no path")
  func longKeys() throws {
    let keys = (0..<80).map { "\($0)" + String(repeating: "k", count: 60_000) }
    let member = keys.map { #""\#($0)":[1]"# }.joined(separator: ",")
    let (records, _) = try values(of: "[{\(member)},{\"id\":2}]", .both)
    // An array and its elements are two paths, each with the same key.
    let pathCount = PathTable.maximumKeyBytes / 2 / 60_002
    let first = try #require(records.first)
    #expect(first.count == 3 * keys.count && pathCount < keys.count)
    for (index, key) in keys.enumerated() where index != pathCount {
      #expect(first[3 * index] == "\(index < pathCount ? key : "") array [", "\(index)")
    }
    // A short key has space still.
    #expect(first.last == " end ]" && records.last == ["id number 2"])
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

  @Test(
    "replay copies a record without the white space outside strings",
    arguments: ReplayTests.kernels)
  func copies(_ kernel: feedscan_kernel) {
    let longKey = String(repeating: "long key ", count: 20)
    func record(_ index: Int) -> String {
      """
      { "a \\" b" : "x \(index)\\n" , "\(longKey)" :\t[ \(index) , -1.5e3, "" ] ,\r
       "c" : { "d" : true , "e" : [ false , { } , [ ] ] , "f":null } , "g" : "\\\\" }
      """
    }
    let compact = #"{"a":1}"#
    // The first record of each form is learned. Compact records and long ones are not copied.
    let long = #"{ "a":"\#(String(repeating: "x", count: 70_000))"}"#
    let records = [compact, compact, long, long] + (1...10).map { record($0 * $0 * $0) }
    var options = JSONOptions()
    options.validation = .both
    options.kernel = kernel
    let lane = Lane(selection: .everything, options: options, baseDepth: 1, isArray: true)
    var copies = 0
    for text in records {
      let bytes = Array(text.utf8)
      withScannedText(bytes + [UInt8](repeating: 0, count: 64)) { scanned in
        [0..<bytes.count].withUnsafeBufferPointer { #expect(lane.validate(scanned, $0) == 1) }
        lane.withTape(from: 0) { tape in
          let list = tape.entries(of: 0)[0]
          #expect(!list.isOfCompactRecord || text == compact)
          guard list.isOfCopiedRecord else { return }
          copies += 1
          let copy = tape.copiedBytes(of: 0).withUnsafeBytes { [UInt8]($0) }
          #expect(copy == withoutSpace(bytes), "\(text)")
          let values = tape.elements(of: list)
          for index in values.indices where ![.object, .array, .end].contains(values[index].kind) {
            let value = values[index]
            let written = tape.chunkBytes(Int(value.offset)..<Int(value.offset + value.length))
            let place = Int(value.position)..<Int(value.position + value.length)
            #expect(Array(copy[place]) == written.withUnsafeBytes { [UInt8]($0) }, "\(index)")
          }
        }
      }
    }
    #expect(copies > 7)
  }

  @Test("reading the text of a record gives the same values as its tape")
  func readAgain() {
    let records = [
      "{}", "[]", "[ ]", "[1,-2.5e+3 ,0]", #"["a",["b\\\"",[]],{"c":"","c":{"d":[null]}}]"#,
      #"{ "a" : { "\u0062\n" : [ true , false , null , { } ] } , "a b":"x:,]}" , "":-1 }"#,
    ]
    var options = JSONOptions()
    options.validation = .yajl
    let lane = Lane(selection: .everything, options: options, baseDepth: 1, isArray: true)
    for text in records {
      let bytes = Array(text.utf8)
      withScannedText(bytes + [UInt8](repeating: 0, count: 64)) { scanned in
        [0..<bytes.count].withUnsafeBufferPointer { #expect(lane.validate(scanned, $0) == 1) }
        lane.withTape(from: 0) { tape in
          let values = tape.elements(of: tape.entries(of: 0)[0])
          var reader = RecordValueReader(bytes.span.bytes, at: 0, tape.storage.pointee.paths)
          defer { reader.deallocate() }
          for index in values.indices {
            let (value, other) = (values[index], reader.next())
            #expect(
              value.kind == other?.kind && value.flags == other?.flags && value.path == other?.path
                && value.length == other?.length && value.offset == other?.offset
                && value.position == other?.position, "\(text), value \(index)")
          }
          #expect(reader.next() == nil, "\(text)")
        }
      }
    }
  }

  @Test("a record of very many values has the first ones on the tape, and the others in parts")
  func parts() {
    let count = LaneState.maximumValues + 10_000
    let text = "[" + (0..<count).map { "\($0)" }.joined(separator: ",") + "]"
    let bytes = Array(text.utf8)
    let lane = Lane(
      selection: .everything, options: JSONOptions(), baseDepth: 1, isArray: true)
    withScannedText(bytes + [UInt8](repeating: 0, count: 64)) { scanned in
      // The tape refers to the ranges of its records.
      [0..<bytes.count].withUnsafeBufferPointer { records in
        #expect(lane.validate(scanned, records) == 1)
        lane.withTape(from: 0) { tape in
          let list = tape.entries(of: 0)[0]
          #expect(list.isCut && list.length == LaneState.maximumValues)
          var next = Int(list.length)
          var isInOrder = true
          tape.forEachPart(afterCutOf: 0) { part, before in
            isInOrder = isInOrder && before == next
            for value in part {
              let isNext = tape.bytes(of: value).withUnsafeBytes {
                $0.elementsEqual("\(next)".utf8)
              }
              isInOrder = isInOrder && isNext
              next += 1
            }
          }
          #expect(isInOrder && next == count)
        }
      }
    }
  }

  @Test(
    "records that follow a record of very many values are complete, in each mode",
    arguments: JSONOptions.Validation.allCases)
  func afterCut(_ validation: JSONOptions.Validation) {
    func list(_ count: Int, _ value: String) -> String {
      #"{"v":["# + Array(repeating: value, count: count).joined(separator: ",") + "]}"
    }
    let many = LaneState.maximumValues
    // Replay learns steps from the first records, and could repeat them in the long ones.
    let records = [
      list(500, "true"), list(500, "[]"), list(many, "true"), "5", list(many / 2, "[]"), "{}",
      list(many - 3, "1"), "7", "8", list(many - 2, "1"), "9", list(many, "1"), "10", "[11]",
    ]
    let cut = [2, 4, 11]
    var options = JSONOptions()
    options.validation = validation
    let lane = Lane(selection: .everything, options: options, baseDepth: 1, isArray: true)
    var bytes: [UInt8] = []
    let bounds = records.map { record in
      let start = bytes.count
      bytes += Array(record.utf8)
      bytes.append(0x2C)
      return start..<bytes.count - 1
    }
    withScannedText(bytes + [UInt8](repeating: 0, count: 64)) { scanned in
      bounds.withUnsafeBufferPointer { bounds in
        #expect(lane.validate(scanned, bounds) == records.count)
        #expect(!lane.hasDisagreement)
        lane.withTape(from: 0) { tape in
          for record in records.indices {
            let list = tape.entries(of: record)[0]
            #expect(list.isCut == cut.contains(record), "\(record)")
            #expect(list.length <= many)
          }
          for record in records.indices where records[record].count < 3 && record != 5 {
            let value = tape.elements(of: tape.entries(of: record)[0])[0]
            let text = tape.bytes(of: value).withUnsafeBytes { [UInt8]($0) }
            #expect(text == Array(records[record].utf8))
          }
        }
      }
    }
  }

  /// Removes white space outside strings, byte by byte.
  private func withoutSpace(_ bytes: [UInt8]) -> [UInt8] {
    var (kept, isInString, isEscaped) = ([UInt8](), false, false)
    for byte in bytes {
      if !isInString, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { continue }
      kept.append(byte)
      if byte == 0x22, !isEscaped { isInString.toggle() }
      isEscaped = isInString && byte == 0x5C && !isEscaped
    }
    return kept
  }

  @Test("paths of rejected records, which depend on the run, do not count as differences")
  func pathsOfRefusedRecords() throws {
    // Enough bad lines to make replay pause. Then YAJL reads on from the last bad line.
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
