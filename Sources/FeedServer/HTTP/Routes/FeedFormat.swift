/// The forms in which a feed is sent.
enum FeedFormat: String, Sendable, CaseIterable {
  case json, ndjson, jsonfeed, atom

  /// Whether feed readers read it.
  var isSyndicated: Bool { self == .jsonfeed || self == .atom }

  var mediaType: String {
    switch self {
    case .json: "application/json"
    case .ndjson: "application/x-ndjson"
    case .jsonfeed: "application/feed+json"
    case .atom: "application/atom+xml"
    }
  }

  /// The form that a client likes best (RFC 9110, section 12.5.1); of those that it likes alike the
  /// first one, and JSON where it names none.
  init(accept field: String?) {
    var best: (format: FeedFormat, weight: Double)?
    let ranges = (field ?? "").lowercased().split(separator: ",").compactMap { item in
      let parts = item.split(separator: ";").map { $0.trimmingBlanks }
      let given = parts.dropFirst().first { $0.hasPrefix("q=") }
      let weight = given.flatMap { Double($0.dropFirst(2)) } ?? 1
      return parts.first.map { (range: $0, weight: weight) }
    }
    for format in Self.allCases {
      // The range that is nearest to the type decides, whatever the others say.
      let nearest = [format.mediaType, "application/*", "*/*"].lazy.map { range in
        ranges.filter { $0.range == range }.map(\.weight).max()
      }
      let weight = nearest.compactMap(\.self).first ?? 0
      if weight > best?.weight ?? 0 { best = (format, weight) }
    }
    self = best?.format ?? .json
  }
}
