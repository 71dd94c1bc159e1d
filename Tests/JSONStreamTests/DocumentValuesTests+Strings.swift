import CFeedScan
import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

/// YAJL gets the text of records without the contents of strings.
extension DocumentValuesTests {
  @Test("strings of any form and length have their values, in any part of the text")
  func strings() throws {
    let long = String(repeating: "long text ", count: 200)
    let numbers = (0..<400).map(String.init).joined(separator: " , ")
    let records: [(text: String, values: [String])] = [
      (#"{"a\n":"b\n","c":"d"}"#, ["a\n string b\\n", "c string d"]),
      (#"{"a":"\#(long)\n","b":"\#(long)"}"#, [#"a string \#(long)\n"#, "b string \(long)"]),
      (
        #"{"a": [\#(numbers)] , "b":"c"}"#,
        ["a array ["] + (0..<400).map { "a[] number \($0)" } + ["a end ]", "b string c"]
      ),
      (
        "{ \"a\" :\t[ \"b\" ,\r\n \"\" , null ] , \"c\" : { \"d\" : \"\\\"\" } }",
        [
          "a array [", "a[] string b", "a[] string ", "a[] null null", "a end ]", "c object {",
          #"c.d string \""#, "c end }",
        ]
      ),
    ]
    for separator in [",", "\n"] {
      let isLines = separator == "\n"
      let texts = records.map { isLines ? $0.text.replacing("\r\n", with: " ") : $0.text }
      let body = texts.joined(separator: separator)
      let document = isLines ? body : "[\(body)]"
      for validation in JSONOptions.Validation.allCases {
        for sliceBytes in [64, 120, 1_000, 128 << 10] {
          let (found, _) = try values(of: document, validation, sliceBytes: sliceBytes)
          #expect(found == records.map(\.values), "\(validation), slices of \(sliceBytes)")
        }
      }
    }
  }

  @Test("strings that are records are no part of the records after them", arguments: [false, true])
  func scalars(isArray: Bool) {
    let texts = [
      #""first""#, #"{"a":"b\n","c":"d"}"#, #""""#, #"["e","f"]"#, #""\t""#, #""g""#, "12",
      #""after a number""#, "true", #""after a literal""#,
      #"{"h":["i\\",""]}"#, #"{"j":"k"}"#,
    ]
    let document = Array(texts.joined(separator: isArray ? " , " : "\n").utf8)
    var end = -3
    let bounds = texts.map { text in
      let start = end + (isArray || end < 0 ? 3 : 1)
      end = start + text.utf8.count
      return start..<end
    }
    func entries(_ sliceBytes: Int, isJudge: Bool) -> [[String]] {
      var options = JSONOptions()
      options.validation = .yajl
      options.sliceBytes = sliceBytes
      let lane = Lane(
        selection: .everything, options: options, baseDepth: isArray ? 1 : 0, isArray: isArray,
        isJudge: isJudge)
      var entries: [[String]] = []
      withScannedText(document + [UInt8](repeating: 0, count: 64)) { text in
        // YAJL passes on the first token of its second text in another way than that of the first.
        for _ in 1...2 {
          let count = bounds.withUnsafeBufferPointer { lane.validate(text, $0) }
          lane.withTape(from: 0) { tape in
            for record in 0..<count {
              let values = tape.elements(of: tape.entries(of: record)[0])
              entries.append(values.indices.map { "\(values[$0])" })
            }
          }
        }
      }
      return entries
    }
    let expected = entries(128 << 10, isJudge: true)
    #expect(expected.count == 2 * texts.count)
    for sliceBytes in [64, 80, 128 << 10] {
      #expect(entries(sliceBytes, isJudge: false) == expected, "slices of \(sliceBytes)")
    }
  }
}
