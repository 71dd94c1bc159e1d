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
  /// Without leading and trailing blanks.
  var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
