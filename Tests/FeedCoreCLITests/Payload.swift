/// Small payloads for tests.
enum Payload {
  /// A university as a line of JSON.
  static func university(_ name: String, country: String = "Chile", more: String = "") -> String {
    #"{"name":"\#(name)","domains":[],"web_pages":[],"country":"\#(country)","#
      + #""alpha_two_code":"CL","state-province":null\#(more)}"#
  }

  /// Universities as an array, a record a line.
  static func universities(_ names: [String]) -> String {
    "[\n" + names.map { university($0) }.joined(separator: ",\n") + "\n]\n"
  }

  /// Universities in NDJSON.
  static func lines(_ names: [String]) -> String {
    names.map { university($0) + "\n" }.joined()
  }

  static let identifier = "59916DC3-F218-4838-A5DA-7AA34188137B"

  /// A comment in its envelope, with one field replaced.
  static func comment(id: String = identifier, date: String = "2020-05-20T11:24:59Z") -> String {
    #"{"items":[{"id":"\#(id)","message":"m","created_at":"\#(date)","#
      + #""author":{"username":"u"}}]}"#
  }

  /// A feed image in its envelope.
  static func image(url: String) -> String {
    #"{"items":[{"id":"\#(identifier)","image":"\#(url)"}]}"#
  }

  static func character(_ name: String) -> String {
    #"{"name":"\#(name)","status":"Alive","species":"Human","image":"https://example.com/1.jpeg"}"#
  }

  /// Characters in the envelope of a page.
  static func characters(_ names: [String]) -> String {
    #"{"info":{"next":"https://example.com/?page=2","count":2},"results":["#
      + names.map(character).joined(separator: ",") + #"],"last":[1,null]}"#
  }
}
