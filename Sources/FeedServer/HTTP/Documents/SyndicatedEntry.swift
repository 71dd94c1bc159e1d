#if Server
  import FeedAPI
  import FeedSchema
  import FeedPresentation
  import FeedRecord
  import FeedStorage
  import URLEscaping

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A record as an entry for readers of Atom and JSON Feed.
  struct SyndicatedEntry: Sendable {
    /// The record's key.
    var id: String
    /// Distinguishes the record from the first record with its key, to be appended after a number
    /// sign; nil for the first.
    var variant: String?
    /// A web address, as is that in `image`. Feeds come from elsewhere, and may contain addresses
    /// that are not web addresses.
    var url: String?
    var title: String?
    var content: String
    var summary: String?
    var image: String?
    var published: String?
    var author: String?

    /// - Parameters:
    ///   - address: the text by which a document is found; nil for a record of a contract.
    ///   - base: the URL of the feed, which relative URLs are resolved against.
    ///   - json: the record in the form of its contract, which is shown for a kind without a
    ///     specific entry.
    init(
      _ record: borrowing RecordView, _ schema: PayloadSchema, address: String? = nil,
      relativeTo base: URL?, json: ArraySlice<UInt8>
    ) throws(StoreError) {
      let texts: Texts
      do throws(RecordError) {
        texts = try Texts(record, schema)
      } catch {
        throw StoreError(.damaged, "a record is damaged", cause: error)
      }
      id = address ?? texts[schema.keyField.name] ?? ""
      image = schema.fields.first(where: \.isImage)
        .flatMap { texts[$0.name] }.flatMap { Self.webAddress($0, relativeTo: base) }
      switch schema.preset?.name {
      case "universities":
        url = texts.webPage
        title = id
        content = [texts["state-province"], texts["country"]].compactMap(\.self)
          .joined(separator: ", ")
      case "feed":
        title = texts["location"]
        content = texts["description"] ?? texts["location"] ?? ""
      case "comments":
        content = texts["message"] ?? ""
        author = texts["author.username"]
        published = texts["created_at"]
      case "characters":
        title = id
        content = [texts["species"], texts["status"]].compactMap(\.self).joined(separator: ", ")
      case "news":
        url = Self.webAddress(id, relativeTo: base)
        title = texts["title"]
        summary = texts["description"]
        content = texts["content"] ?? texts["description"] ?? texts["title"] ?? ""
        author = texts["author"] ?? texts["source.name"]
        published = texts["publishedAt"]
      default:
        title = id
        content = String(decoding: json, as: UTF8.self)
      }
    }

    /// An address as the page would link to it; nil if the page would not.
    fileprivate static func webAddress(
      _ text: String, relativeTo base: URL? = nil
    ) -> String? {
      URL(escaping: text, relativeTo: base)?.absoluteHTTP?.absoluteString
    }
  }

  /// The fields of one record as texts.
  private struct Texts {
    private var texts: [String: String] = [:]
    /// The first valid address in the record's `web_pages`.
    var webPage: String?

    init(_ record: borrowing RecordView, _ schema: PayloadSchema) throws(RecordError) {
      for field in schema.fields {
        if field.name == "web_pages" {
          webPage = try record.texts(field.id)?.lazy.compactMap { SyndicatedEntry.webAddress($0) }
            .first
        } else if let text = try schema.text(of: field, in: record) {
          texts[field.name] = text
        }
      }
    }

    subscript(name: String) -> String? { texts[name] }
  }
#endif
