/// Inflates a stream of bytes that comes in pieces.
protocol StreamDecoder: ~Copyable {
  /// Takes from the front of `input`, puts to the front of `space`, and moves both past that.
  ///
  /// It is called again while it does either. If it does neither, it needs more input.
  mutating func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault)

  /// Learns that the input has ended; throws if something is missing.
  mutating func finish() throws(DecodingFault)
}

/// Why a decoder cannot go on.
struct DecodingFault: Error, Equatable {
  var kind = JSONError.Kind.compression
  /// What is wrong, in words for a person.
  let reason: String
  /// Where in the compressed input, if not where the decoder has stopped to take.
  var byteOffset: Int?

  init(_ reason: String, at byteOffset: Int? = nil) {
    self.reason = reason
    self.byteOffset = byteOffset
  }

  /// The error that is told.
  ///
  /// - Parameter taken: where the decoder has stopped to take.
  func described(_ descriptor: InputDescriptor, at taken: Int) -> JSONError {
    JSONError(kind, reason, file: descriptor.name, byteOffset: byteOffset ?? taken)
  }

  static func outOfMemory() -> DecodingFault {
    var fault = DecodingFault("there is not enough memory to decompress it")
    fault.kind = .inputOutput
    return fault
  }
}
