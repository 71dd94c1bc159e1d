import CFeedScan
@_spi(Records) import JSONStream

extension PayloadSchema.Kind {
  /// The name in messages.
  var name: String {
    switch self {
    case .text: "a string"
    case .url: "a URL"
    case .uuid: "a UUID"
    case .date: "a date with a time and a zone"
    case .integer: "a whole number of 64 bits"
    case .number: "a number in range"
    case .boolean: "true or false"
    case .textList: "a list of strings"
    case .json: "a value"
    }
  }

  /// The kind of token that the value has in JSON.
  var entryKind: TapeEntry.Kind? {
    switch self {
    case .text, .url, .uuid, .date: .string
    case .integer, .number: .number
    case .boolean, .json: nil
    case .textList: .list
    }
  }
}

extension TapeEntry.Kind {
  /// The name in messages.
  var name: String {
    switch self {
    case .absent: "nothing"
    case .repeated: "the key a second time"
    case .null: "null"
    case .true: "true"
    case .false: "false"
    case .number: "a number"
    case .string: "a string"
    case .object, .group: "an object"
    case .array, .list: "an array"
    case .end: "the end of a value"
    }
  }
}
