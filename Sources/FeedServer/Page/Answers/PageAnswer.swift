#if Server
  import HTTPTypes

  // Pages and what they load, as answers.
  extension HTTPAnswer {
    /// A page. Browsers keep it and ask each time whether it is current.
    ///
    /// - Parameter tag: tells the page from any other at its address; nil for one that tells of a
    ///   failure, which is of no use to anybody else, nor later.
    init(html: String, _ status: HTTPResponse.Status, language: String, tag: EntityTag?) {
      var fields = Self.safety
      fields[.contentType] = "text/html; charset=utf-8"
      fields[.contentLanguage] = language
      fields.addValidators(tag)
      self.init(status, fields: fields, body: .bytes(Array(html.utf8)))
    }

    /// That the page with this tag is current.
    init(unchanged tag: EntityTag) {
      var fields = HTTPFields()
      fields.addValidators(tag)
      self.init(.notModified, fields: fields)
    }

    /// What a page loads.
    init(_ asset: PageAssets.Asset) {
      var fields = Self.safety
      fields[.contentType] = asset.contentType
      fields[.vary] = "Accept-Encoding"
      fields[.cacheControl] = "public, max-age=31536000, immutable"
      self.init(fields: fields, body: .bytes(asset.bytes))
    }

    /// Nothing but what comes from here is loaded or run, nothing in the page can send it
    /// elsewhere, and no other page can show it as its own.
    private static var safety: HTTPFields {
      var fields = HTTPFields()
      fields[.contentSecurityPolicy] =
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        + "object-src 'none'"
      fields[.xContentTypeOptions] = "nosniff"
      fields.set("Referrer-Policy", "no-referrer")
      return fields
    }
  }

  extension HTTPFields {
    fileprivate mutating func addValidators(_ tag: EntityTag?) {
      self[.eTag] = tag?.field
      self[.vary] = "Accept-Language, Accept-Encoding"
      self[.cacheControl] = tag == nil ? "no-store" : "no-cache"
    }
  }
#endif
