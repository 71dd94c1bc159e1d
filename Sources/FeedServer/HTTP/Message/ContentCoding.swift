import JSONStream

/// The content coding of a body (RFC 9110, section 8.4.1).
enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  case identity, gzip, zstd

  /// The suffix of the entity tag of a coded representation, which differs from the identity one.
  var tagSuffix: String {
    switch self {
    case .identity: ""
    case .gzip: "-g"
    case .zstd: "-z"
    }
  }

  var format: PackedStream.Format? {
    switch self {
    case .identity: nil
    case .gzip: .gzip
    case .zstd: .zstd
    }
  }

  /// The supported coding that a client prefers; of equally preferred ones the cheapest. Identity
  /// if it accepts none (RFC 9110, section 12.5.3, allows that).
  init(acceptEncoding field: String?) {
    let field = AcceptField(field)
    func quality(_ name: String) -> Int { field.quality(of: name) ?? field.quality(of: "*") ?? 0 }
    let gzip = max(quality("gzip"), field.quality(of: "x-gzip") ?? 0)
    let zstd = quality("zstd")
    let identity = field.quality(of: "identity") ?? 0
    if zstd > 0, zstd >= gzip, zstd >= identity {
      self = .zstd
    } else if gzip > 0, gzip >= identity {
      self = .gzip
    } else {
      self = .identity
    }
  }
}
