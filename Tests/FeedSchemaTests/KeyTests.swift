import FeedSchema
import JSONStream
import Testing

@Suite("Keys of a schema")
struct KeyTests {
  private func schema(_ paths: [[String]]) throws -> PayloadSchema {
    var fields = [PayloadSchema.Field(id: 1, "k", kind: .text)]
    for (index, path) in paths.enumerated() {
      fields.append(field(UInt16(index + 2), path))
    }
    return try PayloadSchema(name: "keys", identifier: 5_001, key: 1, fields: fields)
  }

  private func field(_ id: UInt16, _ path: [String]) -> PayloadSchema.Field {
    switch path.count {
    case 1: .init(id: id, path[0], kind: .integer, isRequired: false)
    case 2: .init(id: id, path[0], path[1], kind: .integer, isRequired: false)
    default: .init(id: id, path[0], path[1], path[2], kind: .integer, isRequired: false)
    }
  }

  @Test(
    "are distinguished whichever byte differs",
    arguments: [
      ["temperature_min_celsius", "temperature_max_celsius"],
      (0..<40).map { "measurement_\($0 + 10)_of_the_temperature" },
      (0..<60).map { "\($0)" },
      (1..<40).map { String(repeating: "a", count: $0) },
    ])
  func similar(keys: [String]) throws {
    try expectAll(keys)
  }

  @Test("are distinguished even if their mixed words are equal")
  func colliding() throws {
    // The two halves of sixteen bytes are mixed. Another second half needs another first half for
    // the same result.
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    let (head, tail) = (UInt64(0x6161_6161_6161_6161), UInt64(0x6262_6262_6262_6262))
    var twin: [UInt8]?
    for bits in UInt64(1)... {
      var letters: UInt64 = 0
      for offset in UInt64(0)..<8 {
        letters = letters << 8 | 0x61 + (bits >> (28 - 4 * offset) & 15)
      }
      let key = bytes(head ^ (tail &* factor) ^ (letters &* factor)) + bytes(letters)
      guard key.allSatisfy({ $0 >= 0x23 && $0 < 0x7F && $0 != 0x5C }) else { continue }
      twin = key
      break
    }
    let keys = try [bytes(head) + bytes(tail), #require(twin)]
    try expectAll(keys.map { String(decoding: $0, as: UTF8.self) } + ["other"])
  }

  private func bytes(_ word: UInt64) -> [UInt8] {
    withUnsafeBytes(of: word.littleEndian) { Array($0) }
  }

  /// Reads each key next to unknown keys, and then all keys together.
  private func expectAll(_ keys: [String]) throws {
    let schema = try schema(keys.map { [$0] })
    for (number, key) in keys.enumerated() {
      let member = "\"\(key)\":\(number)"
      let found = try map("[{\"k\":\"x\",\"\(key)x\":-1,\(member),\"x\(key)\":-1}]", as: schema)
      #expect(found.json == ["{\"k\":\"x\",\(member)}"])
    }
    let all = keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
    #expect(try map("[{\"k\":\"x\",\(all)}]", as: schema).json == ["{\"k\":\"x\",\(all)}"])
  }

  @Test(
    "that repeat have the last value, including its nested values",
    arguments: [
      (#""a":{"b":5},"a":{}"#, #"{"k":"x"}"#),
      (#""a":{"b":5},"a":null"#, #"{"k":"x"}"#),
      (#""a":{"b":{"c":1}},"a":{"b":{"d":2}}"#, #"{"k":"x","a":{"b":{"d":2}}}"#),
    ])
  func repeated(members: String, json: String) throws {
    let schema = try schema([["a", "b", "c"], ["a", "b", "d"]])
    #expect(try map(#"[{"k":"x",\#(members)}]"#, as: schema).json == [json])
  }
}
