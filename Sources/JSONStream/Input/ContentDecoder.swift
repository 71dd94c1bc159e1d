/// Decodes a content coding of HTTP (RFC 9110, section 8.4.1) in a body that arrives in chunks.
///
/// Each call inflates at most the requested count of bytes, so a small chunk that expands to a
/// gigabyte needs no more memory than any other. Used by one task at a time.
package final class ContentDecoder {
  /// The supported codings.
  package enum Coding: Sendable, Hashable {
    case gzip
    case deflate
    case zstd
  }

  private let stream: any StreamDecoder
  private let name: String
  private var chunk: [UInt8] = []
  /// Bytes of the chunk that the decoder has consumed.
  private var taken = 0
  /// Bytes of all previous chunks.
  private var bytesBefore = 0
  private var failure: DecodingFault?

  /// - Parameter name: the name of the body in errors.
  /// - Throws: `inputOutput` if memory runs out.
  package init(_ coding: Coding, named name: String) throws(JSONError) {
    self.name = name
    do throws(DecodingFault) {
      switch coding {
      case .gzip: stream = try GzipDecoder()
      case .deflate: stream = try DeflateDecoder()
      case .zstd: stream = try ZstdDecoder()
      }
    } catch {
      throw JSONError(error.kind, error.reason, file: name)
    }
  }

  /// Sets the next chunk, once ``next(upTo:)`` has returned nil for the previous one.
  package func push(_ chunk: [UInt8]) {
    bytesBefore += self.chunk.count
    self.chunk = chunk
    taken = 0
  }

  /// Returns the next decoded bytes, at least one; nil if another chunk is needed.
  ///
  /// Bytes decoded before a fault are returned first.
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

  /// Ends the body.
  ///
  /// - Throws: `compression` if the body is incomplete.
  package func finish() throws(JSONError) {
    do throws(DecodingFault) {
      try stream.finish()
    } catch {
      throw described(error)
    }
  }

  private func decode(into space: UnsafeMutableRawBufferPointer) -> Int {
    var free = space
    chunk.withUnsafeBytes { chunk in
      var rest = UnsafeRawBufferPointer(rebasing: chunk[taken...])
      var before: (Int, Int)
      repeat {
        before = (rest.count, free.count)
        do throws(DecodingFault) {
          try stream.decode(&rest, into: &free)
        } catch {
          failure = error
        }
      } while failure == nil && !free.isEmpty && before != (rest.count, free.count)
      taken = chunk.count - rest.count
    }
    return space.count - free.count
  }

  private func described(_ fault: DecodingFault) -> JSONError {
    JSONError(
      fault.kind, fault.reason, file: name, byteOffset: fault.byteOffset ?? bytesBefore + taken)
  }
}

/// The first bytes of content whose compression is not declared.
package struct ContentHead: Sendable {
  private var head = InputHead()

  package init() {}

  /// The bytes so far.
  package var bytes: [UInt8] { head.bytes }

  /// Whether the bytes determine the compression.
  package var isComplete: Bool { head.format != nil }

  /// Appends bytes; an empty collection means that the content has ended.
  package mutating func append(_ bytes: some Collection<UInt8>) { head.append(bytes) }

  /// The compression; nil for plain content.
  ///
  /// - Parameter name: the name of the content in errors.
  /// - Throws: `compression`, `encoding` or `syntax` for a format that is recognized and not supported.
  package func coding(named name: String) throws(JSONError) -> ContentDecoder.Coding? {
    switch head.format {
    case .plain, nil: return nil
    case .gzip: return .gzip
    case .zstd: return .zstd
    case .foreign(let format): throw format.error(named: name)
    }
  }
}

/// Inflates a stream of bytes that arrives in chunks. Used by one thread at a time.
protocol StreamDecoder: AnyObject {
  /// Reads from the front of `input`, writes to the front of `space`, and advances both.
  ///
  /// The caller repeats the call while either advances. If neither does, more input is needed.
  func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault)

  /// Ends the input; throws if it is incomplete.
  func finish() throws(DecodingFault)
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
