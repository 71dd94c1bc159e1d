import FeedTools
import Foundation

extension SamplePayload {
  /// The whole sample in memory.
  func collected() -> Data {
    var data = Data()
    write { chunk in
      chunk.withUnsafeBytes { data.append(contentsOf: $0) }
    }
    return data
  }
}
