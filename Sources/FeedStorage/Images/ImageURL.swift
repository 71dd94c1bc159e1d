import FeedRecord
import FeedSchema
import LMDB
import URLEscaping

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension FeedDatabase {
  /// Calls `body` with the URL of every image that any feed names, from one snapshot.
  ///
  /// The URLs have the form under which images are stored. A feed whose field names are not known
  /// contributes all its texts.
  ///
  /// - Throws: `damaged` if a feed cannot be read completely
  package func forEachImageURL(
    _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    try tables.environment.read { transaction throws(StoreError) in
      for name in try tables.names(transaction) {
        guard let generation = try generation(of: name, transaction) else { continue }
        try forEachImageURL(of: generation, transaction, body)
      }
    }
  }

  private func forEachImageURL(
    of generation: PublishedGeneration, _ transaction: borrowing ReadTransaction,
    _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    let fields = ImageFields(of: generation)
    if fields.isEmpty { return }
    var scan = FeedScan(tables, generation)
    while try scan.step(
      in: transaction,
      { _, record, _ throws(StoreError) in
        try fields.forEachURL(of: record, body)
        return true
      })
    {}
  }
}

extension Feed {
  /// Calls `body` with the image URLs of its records from a position on, and the position of each
  /// record, until `body` returns false. It may then still be called for other URLs of that record.
  ///
  /// - Throws: `damaged`; `replaced` if a restored store lacks the rest
  package func forEachImageURL(
    from position: Int = 0, _ body: (RawSpan, Int) -> Bool
  ) throws(StoreError) {
    let fields = ImageFields(of: generation)
    if fields.isEmpty { return }
    try scan(from: position) { record, position throws(StoreError) in
      var shouldContinue = true
      try fields.forEachURL(of: record) { url in
        shouldContinue = body(url, position) && shouldContinue
      }
      return shouldContinue
    }
  }
}

/// The fields of a feed's records that may name images.
private struct ImageFields {
  private let texts: [FieldLocation]
  private let lists: [FieldLocation]
  /// The URL of the feed, against which relative URLs are resolved. Nil if it is not known, or if
  /// the field names are not known, since few of the texts are then URLs.
  private let base: URL?
  private let format: RecordFormat

  init(of generation: PublishedGeneration) {
    format = generation.format
    let layout = format.contract.layout
    if generation.description.hasFieldNames {
      texts = format.contract.fields.filter(\.isImage).compactMap { layout.location(of: $0.id) }
      lists = []
      base = texts.isEmpty ? nil : generation.description.baseURL
    } else {
      texts = layout.fields.filter { $0.type == .text }.compactMap { layout.location(of: $0.id) }
      lists = layout.fields.filter { $0.type == .textList }
        .compactMap { layout.location(of: $0.id) }
      base = nil
    }
  }

  var isEmpty: Bool { texts.isEmpty && lists.isEmpty }

  /// The URLs have the form under which images are stored.
  func forEachURL(
    of record: borrowing RecordView, _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    try format.withFields(of: record) { record throws(StoreError) in
      do throws(RecordError) {
        try forEachText(of: record) { text in ImageURL.withText(of: text, relativeTo: base, body) }
      } catch {
        throw StoreError(error)
      }
    }
  }

  private func forEachText(
    of record: borrowing RecordView, _ body: (RawSpan) -> Void
  ) throws(RecordError) {
    for field in texts {
      if let text = try record.rawText(field) { body(text) }
    }
    for field in lists {
      guard let list = try record.textList(field) else { continue }
      for index in 0..<list.count { body(try list.rawElement(at: index)) }
    }
  }
}

/// The normalised URL under which an image is stored.
package enum ImageURL {
  /// The text of a record, a command or a key in the form under which images are fetched and
  /// stored. Only characters that are invalid in a URL are escaped: see
  /// `URL.init(escaping:relativeTo:)`. A text that is not an HTTP URL is returned unchanged.
  ///
  /// - Parameter base: the URL of the feed, against which a relative URL is resolved.
  package static func text(_ given: String, relativeTo base: URL? = nil) -> String {
    let bytes = given.utf8
    let text = bytes.span.bytes
    if URLText.isUnchangedHTTP(text) { return given }
    guard base != nil || URLText.isHTTP(text) else { return given }
    return URL(escaping: given, relativeTo: base)?.absoluteHTTP?.absoluteString ?? given
  }

  /// Does the same with the bytes of a record. Costs nothing for most URLs.
  static func withText(of given: RawSpan, relativeTo base: URL?, _ body: (RawSpan) -> Void) {
    if URLText.isPlainHTTP(given) { return body(given) }
    let text = text(
      given.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, relativeTo: base
    ).utf8
    body(text.span.bytes)
  }
}

extension FeedDescription {
  /// The URL that the feed was loaded from, without its query; nil if it comes from elsewhere.
  package var baseURL: URL? { URL(escaping: origin)?.absoluteHTTP }
}

extension FeedDatabase {
  /// The URLs under which the image of a URL from a record may be stored, in the order of the
  /// feeds; the text itself is last. A relative URL is resolved against each feed that has a URL.
  package func imageURLs(ofText text: String) throws(StoreError) -> [String] {
    let bytes = text.utf8
    guard !URLText.isHTTP(bytes.span.bytes), case .relative = URLShape(of: text) else {
      let url = ImageURL.text(text)
      return url == text ? [url] : [url, text]
    }
    var urls: [String] = []
    for feed in try feeds() {
      guard let base = feed.baseURL else { continue }
      let url = ImageURL.text(text, relativeTo: base)
      if url != text, !urls.contains(url) { urls.append(url) }
    }
    return urls + [text]
  }

  /// The URL under which the image of a URL from a record is stored; the given text if no other
  /// form is stored.
  package func storedImageURL(
    ofText text: String, in images: ImageStore
  ) throws(StoreError) -> String {
    let urls = try imageURLs(ofText: text)
    for url in urls.dropLast() where try images.containsStored(url) { return url }
    return urls.last ?? text
  }
}
