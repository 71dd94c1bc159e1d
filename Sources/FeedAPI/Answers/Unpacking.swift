import JSONStream

/// Decompresses bytes that arrive in chunks.
final class Unpacking {
  /// The maximum number of bytes that are decompressed at a time.
  private static var pieceBytes: Int { 64 << 10 }

  private let decoder: ContentDecoder
  private var isEmpty = true

  /// - Parameter name: the name of the body in errors.
  init(_ coding: ContentDecoder.Coding, named name: String) throws(RemoteError.Cause) {
    do throws(JSONError) {
      decoder = try ContentDecoder(coding, named: name)
    } catch {
      throw .payload(error)
    }
  }

  /// The next bytes, or nil at the end.
  ///
  /// - Parameter nextPacked: returns the next compressed chunk.
  /// - Throws: ``RemoteError/Cause``; what `nextPacked` throws.
  func next(_ nextPacked: () async throws -> [UInt8]?) async throws -> [UInt8]? {
    while true {
      if let piece = try inflated() { return piece }
      guard let packed = try await nextPacked() else {
        // An empty body is an empty content, whatever its content coding.
        if !isEmpty { try finish() }
        return nil
      }
      if !packed.isEmpty { isEmpty = false }
      decoder.push(packed)
    }
  }

  private func inflated() throws(RemoteError.Cause) -> [UInt8]? {
    do throws(JSONError) {
      return try decoder.next(upTo: Self.pieceBytes)
    } catch {
      throw .payload(error)
    }
  }

  private func finish() throws(RemoteError.Cause) {
    do throws(JSONError) {
      try decoder.finish()
    } catch {
      throw .payload(error)
    }
  }
}
