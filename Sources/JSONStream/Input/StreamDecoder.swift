/// Inflates a stream of bytes that arrives in chunks.
protocol StreamDecoder: ~Copyable {
  /// Reads from the front of `input`, writes to the front of `space`, and advances both.
  ///
  /// The caller repeats the call while either advances. If neither does, more input is needed.
  mutating func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault)

  /// Ends the input; throws if it is incomplete.
  mutating func finish() throws(DecodingFault)
}

/// Why a decoder cannot continue.
struct DecodingFault: Error, Equatable {
  var kind = JSONError.Kind.compression
  /// The message for the user.
  let reason: String
  /// The offset in the compressed input, if it differs from where the decoder stopped reading.
  var byteOffset: Int?

  init(_ reason: String, at byteOffset: Int? = nil) {
    self.reason = reason
    self.byteOffset = byteOffset
  }

  /// The error that is reported.
  ///
  /// - Parameter taken: the offset at which the decoder stopped reading.
  func described(_ source: InputSource, at taken: Int) -> JSONError {
    JSONError(kind, reason, file: source.name, byteOffset: byteOffset ?? taken)
  }

  static func outOfMemory() -> DecodingFault {
    var fault = DecodingFault("there is not enough memory to decompress it")
    fault.kind = .inputOutput
    return fault
  }
}
