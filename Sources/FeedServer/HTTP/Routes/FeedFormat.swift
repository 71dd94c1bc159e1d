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
    let items = (field ?? "").lowercased().split(separator: ",")
    for format in Self.allCases {
      var weight = 0.0
      for item in items {
        let parts = item.split(separator: ";").map { $0.trimmingBlanks }
        guard let range = parts.first else { continue }
        let given = parts.dropFirst().first { $0.hasPrefix("q=") }
        let number = given.flatMap { Double($0.dropFirst(2)) } ?? 1
        let matches =
          range == format.mediaType || range == "*/*" && format == .json
          || range == "application/*" && format == .json
        if matches { weight = max(weight, number) }
      }
      if weight > best?.weight ?? 0 { best = (format, weight) }
    }
    self = best?.format ?? .json
  }
}
