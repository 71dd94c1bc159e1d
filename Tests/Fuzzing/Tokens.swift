/// The bytes and words that the mutator inserts.
enum Tokens {
  static let punctuation = Array("{}[],:\"\\\n".utf8)

  /// Bytes on which the decisions of a lexer, input validation or a splitter depend.
  static let bytes =
    Array("{}[],:\"\\ \n\r\ttrufalsenu0123456789.eE+-/abcdef\u{0B}\u{0C}'#*".utf8) + [
      0x00, 0x01, 0x08, 0x1F, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xA9, 0xAC, 0xAF, 0xBB, 0xBF,
      0xC0, 0xC1, 0xC2, 0xC3, 0xDF, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xF8, 0xFE, 0xFF,
    ]

  static let brackets: [(opening: [UInt8], closing: [UInt8])] = [
    ([0x5B], [0x5D]), (Array("{\"a\":".utf8), [0x7D]), (Array("[[],".utf8), [0x5D]),
  ]

  static let words = (escapes + values + structure).map { Array($0.utf8) } + malformed

  private static let escapes = [
    #"\ud800"#, #"\udbff"#, #"\udc00"#, #"\uDFFF"#, #"\ud83d\ude00"#, #"\ud83d\u0041"#,
    #"\ud83d\ud83d"#, #"\ude00\ud83d"#, #"\ud83d\n"#, #"\ud83d\\"#, #"\ud83"#, #"\u"#, #"\u12"#,
    #"\u0000"#, #"\u0022"#, #"\u005C"#, #"\u00e9"#, #"\uffff"#, #"\uD7FF"#, #"\uE000"#, #"\U0041"#,
    #"\x41"#, #"\'"#, #"\""#, #"\\"#, #"\\\\"#, #"\\\""#, #"\/"#, #"\b\f\n\r\t"#, #"\"#, "\\\n",
    #"\\ud800"#, "\u{0B}", "\u{0C}", "\u{0}", "\u{1F}", "\u{7F}", "\u{2028}", "é", "€", "😀",
  ]

  private static let values = [
    "null", "true", "false", "nul", "tru", "fals", "True", "NaN", "Infinity", "-Infinity", "0",
    "-0", "-", "01", "-01", "1.", ".5", "1.5", "0e1", "1e", "1e+", "1E+05", "1e400", "0x1F",
    "9223372036854775808", "-9223372036854775808", "1234567890123456789012345678901234567890",
    #""""#, #""x""#, "\"", "'x'", #""0123456789012345678901234567890123456789""#, "{}", "[]",
    #"{"name":"x"}"#, #""name":"y","#, #""name":1,"#, #""tags":["p","q","r","s"],"#,
    #""tags":[{},[],null],"#, #""by":{"id":"7"},"#, #""by":null,"#, #""items":[{"name":"z"}],"#,
    #""results":[],"#, #""items":5,"#, #""it\u0065ms":[{}],"#, #""":{},"#,
  ]

  private static let structure = [
    "[", "]", "{", "}", ",", ":", ",,", "[,", "{,", ",]", ",}", "[{", "}]", "{{", "}}", "]]",
    "},{", "}{", "}\n{", "}\n,{", "}\r\n{", "},\n{", "\n", "\r\n", "\r", "\t", " ", "\n\n", "\n \n",
    "\n{}\n", "\n[]\n", "\n5\n", "{}", "//x\n", "/*x*/", "#", ";", "[[[[", "]]]]", "[{},{},{}]",
    #"{"a":"#, #"{"items":["#, "-{}", "1{}", "{}1", "tru{}", "\u{FEFF}", "\u{FEFF}\u{FEFF}",
  ]

  // Malformed or truncated UTF-8, byte order marks, and UTF-16.
  private static let malformed: [[UInt8]] = [
    [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
    [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0xAF], [0xF0, 0x8F, 0xBF, 0xBF],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
    [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3], [0x80], [0xFF], [0xEF, 0xBB], [0xFF, 0xFE],
    [0xFE, 0xFF], [0x5B, 0x00, 0x5D, 0x00],
  ]
}
