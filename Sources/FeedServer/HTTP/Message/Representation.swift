#if Server
  import FeedAPI
  import HTTPTypes

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The properties of a representation, without its bytes.
  struct Representation: Sendable {
    var mediaType: String
    /// The validator of the uncompressed bytes.
    var tag: String?
    /// The time of its last change, in seconds since 2001-01-01T00:00:00Z.
    var modified: Double?
    var cacheControl: String
    /// Whether it is compressed for clients that accept it.
    var isPacked = false
    /// Whether the media type was negotiated by `Accept`.
    var isNegotiated = false

    /// The content coding for a request.
    func coding(for request: APIRequest) -> ContentCoding {
      isPacked ? ContentCoding(acceptEncoding: request.fields[.acceptEncoding]) : .identity
    }

    func entityTag(_ coding: ContentCoding) -> EntityTag? {
      tag.map { EntityTag($0 + coding.tagSuffix) }
    }

    /// The fields common to responses with it and to those that report it unchanged.
    func fields(_ coding: ContentCoding) -> HTTPFields {
      var fields: HTTPFields = [:]
      fields[.cacheControl] = cacheControl
      fields[.eTag] = entityTag(coding)?.field
      // It may change again within the same second, which the date cannot show (RFC 9110, section
      // 8.8.2.2).
      if let modified, modified.rounded(.down) + 1 <= Date().timeIntervalSinceReferenceDate {
        fields[.lastModified] = HTTPDate.text(referenceSeconds: modified)
      }
      let varying = (isNegotiated ? ["Accept"] : []) + (isPacked ? ["Accept-Encoding"] : [])
      if !varying.isEmpty { fields[.vary] = varying.joined(separator: ", ") }
      return fields
    }
  }

  extension APIRequest {
    /// Responds with a representation. Its body is not requested if the client already has it.
    ///
    /// - Parameter body: may add fields.
    /// - Throws: ``Problem`` 412; what `body` throws
    func answer(
      _ representation: Representation,
      body: (inout HTTPFields) async throws -> HTTPAnswer.Body
    ) async throws -> HTTPAnswer {
      let coding = representation.coding(for: self)
      var answer = try head(representation, coding)
      guard answer.status == .ok else { return answer }
      answer.body = try await body(&answer.fields)
      return try await (method == .head ? answer : answer.settled())
        .packed(coding, bareTag: representation.entityTag(.identity))
    }

    /// Responds with a representation whose bytes are in memory.
    ///
    /// - Throws: ``Problem`` 412
    func answer(_ representation: Representation, bytes: [UInt8]) throws -> HTTPAnswer {
      let coding = representation.coding(for: self)
      var answer = try head(representation, coding)
      guard answer.status == .ok else { return answer }
      answer.body = .bytes(bytes)
      return try answer.packed(coding)
    }

    /// The head of a response; 304 if the client already has the representation.
    private func head(
      _ representation: Representation, _ coding: ContentCoding
    ) throws(Problem) -> HTTPAnswer {
      var fields = representation.fields(coding)
      switch outcome(representation.entityTag(coding), modified: representation.modified) {
      case .notModified: return HTTPAnswer(.notModified, fields: fields)
      case .failed: throw Problem(.preconditionFailed, "the resource has changed")
      case .proceed: break
      }
      fields[.contentType] = representation.mediaType
      return HTTPAnswer(fields: fields)
    }
  }

  extension HTTPFields {
    /// The value of a list field, from one or several lines.
    func all(_ name: HTTPField.Name) -> String? {
      let values = self[values: name]
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
  }
#endif
