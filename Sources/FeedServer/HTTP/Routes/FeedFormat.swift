/// The forms in which a feed is sent.
enum FeedFormat: String, Sendable, CaseIterable {
  case json, ndjson, jsonfeed, atom

  /// Whether feed readers support it.
  var isSyndicated: Bool { self == .jsonfeed || self == .atom }

  var mediaType: String {
    switch self {
    case .json: "application/json"
    case .ndjson: "application/x-ndjson"
    case .jsonfeed: "application/feed+json"
    case .atom: "application/atom+xml"
    }
  }

  /// The format that a client prefers (RFC 9110, section 12.5.1). Of equally preferred ones the
  /// first, and JSON if it names none.
  init(accept field: String?) {
    var best: (format: FeedFormat, weight: Double)?
    let ranges = (field ?? "").lowercased().split(separator: ",").compactMap { item in
      let parts = item.split(separator: ";").map { $0.trimmingBlanks }
      let given = parts.dropFirst().first { $0.hasPrefix("q=") }
      let weight = given.flatMap { Double($0.dropFirst(2)) } ?? 1
      return parts.first.map { (range: $0, weight: weight) }
    }
    for format in Self.allCases {
      // The most specific matching range decides.
      let nearest = [format.mediaType, "application/*", "*/*"].lazy.map { range in
        ranges.filter { $0.range == range }.map(\.weight).max()
      }
      let weight = nearest.compactMap(\.self).first ?? 0
      if weight > best?.weight ?? 0 { best = (format, weight) }
    }
    self = best?.format ?? .json
  }
}
