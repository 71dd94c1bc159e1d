extension String {
  /// The text as one word of a shell, for a command that a message proposes.
  var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "/", "+", ",": true
      default: false
      }
    }
    // By scalars: a combining mark after a quote would belong to the same character.
    let escaped = unicodeScalars.replacing("'".unicodeScalars, with: "'\\''".unicodeScalars)
    return isPlain && !isEmpty ? self : "'\(String(escaped))'"
  }
}
