import Foundation

/// The records that mutation starts from, in families whose members share keys.
struct SeedRecords {
  /// A record and the ranges of the values that replay treats as variable.
  struct Seed {
    let bytes: [UInt8]
    /// The contents of strings and the digits of numbers, ascending.
    private(set) var values: [Value] = []
  }

  struct Value {
    let range: Range<Int>
    let isString: Bool
  }

  let families: [[Seed]]

  /// - Parameter directory: contains JSON files, whose records are more seeds.
  init(directory: String?) {
    let files = SeedDocuments(directory: directory).large.map(Self.records(in:))
    // The handwritten families, both together, and one family for each file.
    let written = [Self.crafted, Self.plain].map { $0.map { Seed(Array($0.utf8)) } }
    families = written + [written[0] + written[1]] + files.filter { !$0.isEmpty }
  }

  // The objects that are elements of an array close to the root.
  private static func records(in file: [UInt8]) -> [Seed] {
    var scanner = StrictScanner(file, in: 0..<file.count, limits: .standard)
    var isArray: [Bool] = []
    var start: (depth: Int, byte: Int)?
    var seeds: [Seed] = []
    while let token = scanner.next(), token != .end {
      switch token {
      case .beginObject, .beginArray:
        if token == .beginObject, start == nil, isArray.last == true {
          start = (scanner.depth, scanner.token.lowerBound)
        }
        isArray.append(token == .beginArray)
      case .endObject, .endArray:
        isArray.removeLast()
        guard let open = start, scanner.depth < open.depth else { continue }
        // It must fit on a line.
        seeds.append(Seed(file[open.byte..<scanner.place].map { $0 < 0x20 ? 0x20 : $0 }))
        start = nil
      default: break
      }
    }
    return seeds + lines(of: file)
  }

  private static func lines(of file: [UInt8]) -> [Seed] {
    let seeds = file.split(separator: 0x0A).map { Seed(Array($0)) }
    return seeds.filter { $0.bytes.first == 0x7B && $0.bytes.last == 0x7D }
  }

  // Two inner objects with the same keys, and objects outside the selection with selected keys. A
  // state that ignored which object is open, or that it is not selected, would confuse them.
  private static let crafted = [
    #"{"source":{"id":"a","name":"b"},"deep":{"id":"a","name":"b","list":["x"]}}"#,
    #"{"deep":{"id":"a","name":"b"},"source":{"id":"a","name":"b"},"title":"x"}"#,
    #"{"other":{"id":"a","name":"b"},"source":{"id":"a","name":"b"},"name":"x"}"#,
    #"{"other":{"title":"a","in":{"title":"b","name":"c"}},"title":"x","name":"y"}"#,
    #"{"deep":{"in":{"id":"a"},"id":"b","list":["c"]},"source":{"in":{"id":"a"},"id":"b"}}"#,
    #"{"source":{"id":"a","list":["x","y"]},"deep":{"list":["x","y"],"id":"a"}}"#,
    #"{"deep":{"name":"a"},"name":"b","source":{"name":"c"},"other":{"name":"d"}}"#,
    "{}", "{ }", #"{"n":0}"#, #"{"n":-1.5e+10,"x":[1,2,3]}"#, #"{"n":12,"x":{"y":3}}"#,
    #"{"deep":{"list":["a",1,null,true,{},[],{"a":[1]}],"z":{"list":[3]}},"n":1E5}"#,
    #"{"a":{"b":{"c":{"d":[[["x"]]]}}},"title":"t"}"#, #"{"a":["x"],"b":{"c":"x"},"d":[["x"]]}"#,
    #"{"title":"\u0041\n\"\\\ud83d\ude00","url":""}"#, #"{"t\u0069tle":"escaped key","n":12}"#,
    #"{"domains":[],"web_pages":[[]],"country":false}"#, #"{"source":null,"n":10}"#,
    #"{"source":{},"deep":{}}"#, #"{"source":{"id":"1","name":"x"},"source":{"id":null}}"#,
    #"{"name":"é中😀","n":true}"#, #"{"n":0.0,"n":1}"#, "{\t\"name\" : \"x\" ,\r \"n\" : 10 }",
    #"{"domains":["a","b","c"],"web_pages":["a","b","c"],"q":["a","b"]}"#,
    #"{"domains":["a",["b","c"],"d"],"q":[{"name":"no"},{"name":2}]}"#,
    #"{"x":null,"y":[null,true,false,0,-0,1e1],"n":"0"}"#, #"{"x":"1","y":1,"n":"2","m":2}"#,
    "{\"long\":\"\(text(100))\",\"title\":\"\(text(70)) \\t \(text(40))\"}",
    "{\"\(text(90))\":[true,null,{}],\"\(text(70))2\":false,\"name\":\"long glue\",\"n\":1}",
    "{\"\(text(90))\":[true,null,{}],\"\(text(60))\":null,\"\(text(300))\":[],\"n\":1}",
  ]

  // The same for the selection of the differential fuzzer.
  private static let plain = [
    #"{"name":"a","tags":["x","y"],"by":{"id":"1"}}"#, #"{"name":null,"tags":[],"n":-1.5e3}"#,
    #"{"by":{"id":"a","name":"b"},"other":{"id":"a","name":"b"},"name":"c"}"#,
    #"{"other":{"id":"a","name":"b"},"by":{"id":"a","name":"b"},"name":"c"}"#,
    #"{"other":{"name":"a","in":{"name":"b","tags":["c"]}},"name":"x","tags":["y"]}"#,
    #"{"tags":["a",1,null,true,{},[],{"name":[1]}],"name":"é\u00e9\n\ud83d\ude00"}"#,
    #"{"n\u0061me":"escaped key","t\u0061gs":["a"],"n":0}"#, #"{"name":"","n":12}"#,
    #"{"x":[[1,[2,"3"]],{"y":[]}],"tags":["a"],"by":null}"#,
    #"{"name":true,"tags":"a","by":[1]}"#, #"{"by":{"id":1,"x":{"id":2}},"x":{"by":{"id":3}}}"#,
    #"{"tags":["a","b","c"],"other":["a","b","c"],"name":"n"}"#,
    #"{"id":"a","by":{"id":"b"},"tags":[["id"],"c"],"name":{"id":"d"}}"#,
  ]

  private static func text(_ count: Int) -> String {
    String(String(repeating: "0123456789abcdefghijklmnopqrstuvwxyz ", count: 10).prefix(count))
  }
}

extension SeedRecords.Seed {
  fileprivate init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var scanner = StrictScanner(bytes, in: 0..<bytes.count, limits: .standard)
    while let token = scanner.next(), token != .end {
      let range = scanner.token
      switch token {
      case .string:
        let content = range.lowerBound + 1..<range.upperBound - 1
        values.append(SeedRecords.Value(range: content, isString: true))
      case .number: values.append(SeedRecords.Value(range: range, isString: false))
      default: break
      }
    }
  }
}
