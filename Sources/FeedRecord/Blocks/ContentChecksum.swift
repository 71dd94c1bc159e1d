import CXXHash

/// The checksum of a stream of bytes: XXH3-64 with seed 0. The result equals `KeyHash.hash` of all
/// bytes at once.
package struct ContentChecksum: ~Copyable {
  /// Created by the library and freed only by this value, which cannot be copied.
  private let state: OpaquePointer

  /// Nil if the system refuses half a kilobyte.
  package init?() {
    guard let state = XXH3_createState() else { return nil }
    XXH3_64bits_reset(state)
    self.state = state
  }

  deinit { XXH3_freeState(state) }

  package mutating func add(_ bytes: RawSpan) {
    // The library reads the borrowed bytes during the call only.
    bytes.withUnsafeBytes { bytes in
      _ = XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }
  }

  package var value: UInt64 { XXH3_64bits_digest(state) }
}
