import JSONStream

/// How a body is packed on its way (RFC 9110, section 8.4.1).
enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  case identity, gzip, zstd

  /// What the entity tag of a packed representation ends with: it is another one than the bare.
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

  /// The coding that a client likes best of those there are; of two that it likes alike, the one
  /// that costs less. Identity where it takes none (RFC 9110, section 12.5.3, allows that).
  init(acceptEncoding field: String?) {
    guard let field else {
      self = .identity
      return
    }
    var weights: [Substring: Double] = [:]
    for item in field.lowercased().split(separator: ",") {
      let parts = item.split(separator: ";").map { $0.trimmingBlanks }
      guard let name = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
      weights[name] = weight ?? 1
    }
    func weight(_ name: Substring) -> Double { weights[name] ?? weights["*"] ?? 0 }
    let gzip = max(weight("gzip"), weights["x-gzip"] ?? 0)
    let zstd = weight("zstd")
    let identity = weights["identity"] ?? 0
    if zstd > 0, zstd >= gzip, zstd >= identity {
      self = .zstd
    } else if gzip > 0, gzip >= identity {
      self = .gzip
    } else {
      self = .identity
    }
  }
}

extension Substring {
  /// Without blanks at both ends.
  var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
