/// Undoes a content coding of HTTP (RFC 9110, section 8.4.1) on a body that comes in pieces.
///
/// No more is inflated at a time than is asked for, so that a small piece that stands for a
/// gigabyte costs no more memory than any other. Used by one task at a time.
package final class ContentDecoder {
  /// What can be undone.
  package enum Coding: Sendable, Hashable {
    case gzip
    case deflate
  }

  private let stream: any ContentStream
  private let name: String
  private var piece: [UInt8] = []
  /// How much of the piece the decoder has taken.
  private var taken = 0
  /// Bytes of all pieces before this one.
  private var bytesBefore = 0
  private var failure: DecodingFault?

  /// - Parameter name: what errors call the body.
  /// - Throws: `inputOutput` if there is no memory for it.
  package init(_ coding: Coding, named name: String) throws(JSONError) {
    self.name = name
    do throws(DecodingFault) {
      switch coding {
      case .gzip: stream = OwnedStream(try GzipDecoder())
      case .deflate: stream = OwnedStream(try DeflateDecoder())
      }
    } catch {
      throw JSONError(error.kind, error.reason, file: name)
    }
  }

  /// Takes the next piece, when ``next(upTo:)`` has given nil for the one before.
  package func push(_ piece: [UInt8]) {
    bytesBefore += self.piece.count
    self.piece = piece
    taken = 0
  }

  /// The next decoded bytes, at least one; nil if that needs another piece.
  ///
  /// What was decoded before a fault is given first.
  ///
  /// - Throws: `compression`, with an offset in the coded body.
  package func next(upTo capacity: Int) throws(JSONError) -> [UInt8]? {
    if let failure { throw described(failure) }
    let result = [UInt8](unsafeUninitializedCapacity: capacity) { space, count in
      count = decode(into: UnsafeMutableRawBufferPointer(space))
    }
    if !result.isEmpty { return result }
    if let failure { throw described(failure) }
    return nil
  }

  /// Learns that there are no more pieces.
  ///
  /// - Throws: `compression` if something is missing.
  package func finish() throws(JSONError) {
    do throws(DecodingFault) {
      try stream.finish()
    } catch {
      throw described(error)
    }
  }

  private func decode(into space: UnsafeMutableRawBufferPointer) -> Int {
    var free = space
    piece.withUnsafeBytes { piece in
      var rest = UnsafeRawBufferPointer(rebasing: piece[taken...])
      var before: (Int, Int)
      repeat {
        before = (rest.count, free.count)
        do throws(DecodingFault) {
          try stream.decode(&rest, into: &free)
        } catch {
          failure = error
        }
      } while failure == nil && !free.isEmpty && before != (rest.count, free.count)
      taken = piece.count - rest.count
    }
    return space.count - free.count
  }

  private func described(_ fault: DecodingFault) -> JSONError {
    JSONError(
      fault.kind, fault.reason, file: name, byteOffset: fault.byteOffset ?? bytesBefore + taken)
  }
}

/// A decoder behind a reference, whichever it is.
private protocol ContentStream: AnyObject {
  func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault)

  func finish() throws(DecodingFault)
}

private final class OwnedStream<Decoder: StreamDecoder & ~Copyable>: ContentStream {
  private var decoder: Decoder

  init(_ decoder: consuming Decoder) { self.decoder = decoder }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    try decoder.decode(&input, into: &space)
  }

  func finish() throws(DecodingFault) { try decoder.finish() }
}
