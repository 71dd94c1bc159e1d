extension PayloadSchema {
  /// `GET /feed` of the list app: a top-level array (ListApp, "Payload contract").
  public static let universities = contract(
    name: "universities", identifier: 1, key: 1,
    fields: [
      Field(id: 1, "name", kind: .text),
      Field(id: 6, "domains", kind: .textList, isRequired: false),
      Field(id: 5, "web_pages", kind: .textList),
      Field(id: 2, "country", kind: .text),
      Field(id: 3, "alpha_two_code", kind: .text),
      Field(id: 4, "state-province", kind: .text, isRequired: false),
    ])

  /// `GET /feed` of the image feed (Essential App, "Payload contract").
  public static let feed = contract(
    name: "feed", identifier: 2, recordKey: "items", key: 1,
    fields: [
      Field(id: 1, "id", kind: .uuid),
      Field(id: 2, "description", kind: .text, isRequired: false),
      Field(id: 3, "location", kind: .text, isRequired: false),
      Field(id: 4, "image", kind: .url, isImage: true),
    ])

  /// `GET /image/{id}/comments` (Essential App, "Image Comments Feature Specs").
  public static let comments = contract(
    name: "comments", identifier: 3, recordKey: "items", key: 1,
    fields: [
      Field(id: 1, "id", kind: .uuid),
      Field(id: 2, "message", kind: .text),
      Field(id: 3, "created_at", kind: .date),
      Field(id: 4, "author", "username", kind: .text),
    ])

  /// Pages of characters (Rick and Morty App, "Payload contract").
  public static let characters = contract(
    name: "characters", identifier: 4, recordKey: "results", key: 1,
    fields: [
      Field(id: 1, "name", kind: .text),
      Field(id: 2, "status", kind: .text),
      Field(id: 3, "species", kind: .text),
      Field(id: 4, "image", kind: .url, isImage: true),
    ])

  /// News articles (EssentialNews, "Model Specs").
  public static let news = contract(
    name: "news", identifier: 5, recordKey: "articles", key: 6,
    fields: [
      Field(id: 1, "source", "id", kind: .text, isRequired: false),
      Field(id: 2, "source", "name", kind: .text),
      Field(id: 3, "author", kind: .text, isRequired: false),
      Field(id: 4, "title", kind: .text),
      Field(id: 5, "description", kind: .text, isRequired: false),
      Field(id: 6, "url", kind: .url),
      Field(id: 7, "urlToImage", kind: .url, isRequired: false, isImage: true),
      Field(id: 8, "publishedAt", kind: .date),
      Field(id: 9, "content", kind: .text, isRequired: false),
    ]
  )
  // The service's documentation, "Top headlines", "Response object": `ok`, else `error`.
  .reportingSuccess(in: "status", as: "ok")

  private static func contract(
    name: String, identifier: UInt32, recordKey: String? = nil, key: UInt16, fields: [Field]
  ) -> PayloadSchema {
    do {
      return try PayloadSchema(
        name: name, identifier: identifier, recordKey: recordKey, key: key, fields: fields)
    } catch {
      // A constant of this file that does not depend on input; a test builds each of them.
      preconditionFailure("\(error)")
    }
  }
}
