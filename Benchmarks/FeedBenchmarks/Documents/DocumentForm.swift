import Samples

/// The form of a payload in its file.
enum DocumentForm: String, CaseIterable {
  case pretty
  case minified
  case lines = "NDJSON"
  /// Minified, and compressed with the defaults of `gzip` and `zstd`.
  case gzip = "minified, .gz"
  case zstandard = "minified, .zst"

  static let plain = [pretty, minified, lines]
  static let compressed = [gzip, zstandard]

  var format: SamplePayload.Format {
    switch self {
    case .pretty: .pretty
    case .minified, .gzip, .zstandard: .json
    case .lines: .ndjson
    }
  }
}
