import Samples

/// How a payload is written down.
enum DocumentForm: String, CaseIterable {
  case pretty
  case minified
  case lines = "NDJSON"
  /// Minified and compressed, as `gzip` and `zstd` do it by default.
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
