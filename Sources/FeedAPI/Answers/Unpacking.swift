import JSONStream

/// Undoes one packing of bytes that come in pieces.
final class Unpacking {
  /// The most that is inflated at a time.
  private static var pieceBytes: Int { 64 << 10 }

  private let decoder: ContentDecoder
  private var isEmpty = true

  /// - Parameter name: what errors call the body.
  init(_ coding: ContentDecoder.Coding, named name: String) throws(RemoteError.Cause) {
    do throws(JSONError) {
      decoder = try ContentDecoder(coding, named: name)
    } catch {
      throw .payload(error)
    }
  }

  /// The next bytes, or nil behind the last.
  ///
  /// - Parameter nextPacked: gives what is to be unpacked, a piece at a time.
  /// - Throws: ``RemoteError/Cause``; what `nextPacked` throws.
  func next(_ nextPacked: () async throws -> [UInt8]?) async throws -> [UInt8]? {
    while true {
      if let piece = try inflated() { return piece }
      guard let packed = try await nextPacked() else {
        // A body of no bytes is an empty content, however it is said to be packed.
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
