import Foundation

/// The documents that mutation starts from.
struct SeedDocuments {
  /// The handwritten ones, and files, which are longer and therefore chosen less often.
  let small: [[UInt8]]
  let large: [[UInt8]]

  /// - Parameter directory: contains more seeds; files of 32 KiB or more are ignored.
  init(directory: String?) {
    small = Self.written.map { Array($0.utf8) } + Self.raw
    let names = directory.map { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    var files: [[UInt8]] = []
    for name in (names ?? []).sorted() where name.contains("json") {
      let path = (directory ?? "") + "/" + name
      guard let data = FileManager.default.contents(atPath: path), data.count < 32 << 10 else {
        continue
      }
      files.append([UInt8](data))
    }
    large = files
  }

  func random(using random: inout DocumentGenerator) -> [UInt8] {
    guard !large.isEmpty, random.below(32) == 0 else { return random.element(of: small) }
    return random.element(of: large)
  }

  private static let written = arrays + wrapped + lines + singles + scalars + texts

  private static let arrays = [
    #"[{"name":"a","tags":["x","y"]},{"name":"b \"q\" \\","n":-1.5e3},  {"x":{"y":[{}]}}]"#,
    "[\n  {\"name\": \"São\", \"tags\": []},\n  {\"name\": \"\\ud83d\\ude00\"}\n]\n",
    #"[[1,2],[{"a":null}],{"a":true,"b":false}]"#, "[]", "  [ { } , { } ]  ", "[[[[[[[]]]]]]]",
    #"["a",{"b":1},2,null,true,false,[],"\u00e9",-0.0e-0]"#,
    #"[{"name":null,"tags":["a",1,null,{"x":[1]},["b"],true],"by":{"id":"7","x":{"id":1}}}]"#,
    #"[{"name":{"name":"no"},"tags":"t","by":["id"]},{"by":"id","name":[],"tags":{"a":[]}}]"#,
    #"[{"a":1},{"a":2},{"a":3},{"a":4},{"a":5},{"a":6},{"a":7},{"a":8},{"a":9}]"#,
    #"[{"a":[[[{"b":[[{"c":{"d":{"e":{"f":[]}}}}]]}]]]},{"deep":[[[[[[1]]]]]]}]"#,
    "[\r\n\t{\"tags\" : [ \"a\" , \"b\" ] , \"name\" : \"\\u0000\" }\r\n,\t{} ]\r\n",
    #"[{"name":"1","name":"2","tags":["a"],"tags":["b","c"],"by":{"id":1},"by":{"id":2}}]"#,
  ]

  private static let wrapped = [
    #"{"info":{"next":"u","n":[1,2]},"items":[{"name":"a"},{"name":"b"}],"total":2}"#,
    #"{"items":[]}"#, #"{"r\u0065sults":[{"name":"a"}]}"#,
    #"{"x":{"items":[{"name":"no"}]},"items":[{"name":"yes"}]}"#,
    #"{"items":null,"results":[1,{"a":1},"s"],"n":-1.50,"t":[true,null]}"#,
    #"{"items":{"items":[{}]},"results":[[],{"tags":["1","2","3"]}]}"#,
    "{ \"count\" : 12 ,\n \"items\" : [\n{\"name\":\"é\"} ,\n{}\n] ,\n \"after\" : \"ü\" }\n",
    #"{"status":"ok\n\t\"\\\/\b\f\r\u001f","articles":[{}],"items":[{"by":{"id":"x"}}]}"#,
  ]

  private static let lines = [
    "{\"name\":\"a\"}\n\n  {\"name\":\"b\",\"tags\":[\"\\u0041\"]} \r\n{\"name\":\"c\"}",
    "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n{\"a\":5}\n", "{}\r\n{}\r\n\r\n \t \r\n{}\r\n",
    "{\"name\":\"x\"}\n[1,2]\n5\n\"s\"\nnull\n{\"name\":\"y\"}\n",
    "{\"name\":\"é€😀\"}\n{\"by\":{\"id\":\"\\ud83d\\ude00\"}}\n{\"tags\":[\"a\",\"b\",\"c\"]}",
    "\n\n{\"name\":\"a\"}\n{\"name\":tru}\n{\"name\":\"b\"}\n\"é\n{\"name\":\"c\"}\n",
    "{\"a\":{\"b\":[{\"c\":1}]}}\n{\"items\":[]}\n{\"a\":\"0123456789012345678901234567890\"}\n",
  ]

  private static let singles = [
    #"{"name":"one","tags":["t"],"by":{"id":"7"}}"#, "{}", "{\n  \"name\": \"only\"\n}\n\n",
    #"{"a":{"b":{"c":{"d":[[[[{"e":null}]]]]}}}}"#, #"{"":"","":{"":[]}}"#,
    "{\"\(String(repeating: "k", count: 700))\":\"\(String(repeating: "v", count: 900))\"}",
  ]

  private static let scalars = [
    "0", "-0", "1.5", "-12.25e-3", "1E400", "1e-400", "9223372036854775807",
    "-9223372036854775808", "18446744073709551616", "0.1000000000000000055511151231257827",
    "123456789012345678901234567890123456789012345678901234567890",
    String(repeating: "7", count: 1100), "-0.\(String(repeating: "5", count: 700))e+1", "true",
    "false", "null",
    #""""#, #""text""#, " \"spaced\" ", "",
  ]

  private static let texts = [
    #"["\"","\\","\/","\b","\f","\n","\r","\t","\u0000","\u001F","\u007f","\uFFFF","\uD834\uDD1E"]"#,
    "[\"\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFD}\u{FFFF}\u{10000}\u{10FFFF}\"]",
    "[\"ß\", \"漢字かな交じり文\", \"العربية\", \"👩‍👩‍👧‍👦\", \"e\u{301}\"]",
    "[{\"name\":\"\(String(repeating: "漢", count: 60))\\n\"},{\"name\":\"\\ud83c\\udff3\\ufe0f\"}]",
    "[\(String(repeating: "{\"n\":\"\\u00e9\\\\\\\"\"},", count: 20)){}]",
    "[{\"name\":\"\(String(repeating: "x", count: 130))\"},{\"t\":\"\(String(repeating: "y", count: 65))\"}]",
  ]

  private static let raw: [[UInt8]] = [
    [0xEF, 0xBB, 0xBF] + Array(#"[{"name":"a"}]"#.utf8),
    [0xEF, 0xBB, 0xBF] + Array("{\"a\":1}\n{\"a\":2}\n".utf8),
    [0xEF, 0xBB, 0xBF] + Array("  \"text\"".utf8), [0xEF, 0xBB, 0xBF],
  ]
}
