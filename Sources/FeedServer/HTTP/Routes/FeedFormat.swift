/// The forms in which a feed is sent.
enum FeedFormat: String, Sendable, CaseIterable {
  case json, ndjson, jsonfeed, atom, csv, tsv

  /// Whether feed readers support it.
  var isSyndicated: Bool { self == .jsonfeed || self == .atom }

  /// Whether it is a table of columns.
  var isDelimited: Bool { self == .csv || self == .tsv }

  var mediaType: String {
    switch self {
    case .json: "application/json"
    case .ndjson: "application/x-ndjson"
    case .jsonfeed: "application/feed+json"
    case .atom: "application/atom+xml"
    case .csv: "text/csv; charset=utf-8; header=present"
    case .tsv: "text/tab-separated-values; charset=utf-8"
    }
  }

  /// The format that a client prefers (RFC 9110, section 12.5.1). Of several equally preferred
  /// formats it is the first; JSON if the field names none.
  init(accept field: String?) {
    let field = AcceptField(field)
    var best: (format: FeedFormat, quality: Int)?
    for format in Self.allCases {
      // The most specific matching range decides.
      let name = String(format.mediaType.prefix { $0 != ";" })
      // A table is sent only if the field names it, since not all records have columns.
      let ranges = format.isDelimited ? [name] : [name, "application/*", "*/*"]
      let quality = ranges.lazy.compactMap { field.quality(of: $0) }.first ?? 0
      if quality > best?.quality ?? 0 { best = (format, quality) }
    }
    self = best?.format ?? .json
  }
}
