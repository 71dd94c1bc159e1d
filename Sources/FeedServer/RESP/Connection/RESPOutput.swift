#if Server
  import NIOCore

  /// Writes responses in a client's protocol version.
  struct RESPOutput {
    /// The unsent responses.
    var buffer: ByteBuffer
    /// RESP2, or RESP3, which has maps, sets and its own null.
    var version = 2

    init(capacity: Int) { buffer = ByteBufferAllocator().buffer(capacity: capacity) }

    mutating func simple(_ text: StaticString) {
      buffer.writeStaticString("+")
      buffer.writeStaticString(text)
      endLine()
    }

    /// - Parameter word: without line ends
    mutating func simple(word: String) {
      buffer.writeStaticString("+")
      buffer.writeString(word)
      endLine()
    }

    /// - Parameter text: begins with a code such as `ERR`; line ends in it become spaces.
    mutating func error(_ text: String) {
      buffer.writeStaticString("-")
      for byte in text.utf8 { buffer.writeInteger(byte < 0x20 ? 0x20 : byte) }
      endLine()
    }

    mutating func integer(_ number: Int) { head(":", number) }

    mutating func bulk(_ text: String) {
      head("$", text.utf8.count)
      buffer.writeString(text)
      endLine()
    }

    mutating func bulk(_ bytes: RawSpan) {
      bulkHead(bytes.byteCount)
      buffer.writeBytes(bytes)
      endLine()
    }

    /// The start of a bulk string. Its bytes and line end follow.
    mutating func bulkHead(_ count: Int) { head("$", count) }

    mutating func endLine() { buffer.writeStaticString("\r\n") }

    mutating func null() {
      if version == 3 {
        buffer.writeStaticString("_\r\n")
      } else {
        buffer.writeStaticString("$-1\r\n")
      }
    }

    /// A null in place of an array.
    mutating func nullArray() {
      if version == 3 {
        buffer.writeStaticString("_\r\n")
      } else {
        buffer.writeStaticString("*-1\r\n")
      }
    }

    mutating func array(_ count: Int) { head("*", count) }

    /// The start of a map of `count` keys and values.
    mutating func map(_ count: Int) {
      if version == 3 { head("%", count) } else { head("*", 2 * count) }
    }

    mutating func set(_ count: Int) { head(version == 3 ? "~" : "*", count) }

    /// Text for a person.
    mutating func verbatim(_ text: String) {
      guard version == 3 else { return bulk(text) }
      head("=", text.utf8.count + 4)
      buffer.writeStaticString("txt:")
      buffer.writeString(text)
      endLine()
    }

    private mutating func head(_ type: StaticString, _ number: Int) {
      buffer.writeStaticString(type)
      buffer.writeString(String(number))
      endLine()
    }
  }
#endif
