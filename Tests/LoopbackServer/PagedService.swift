#if Remote
  import Foundation

  /// Services of the apps with feeds of several pages. Records are numbered from 0.
  package enum PagedService {
    /// Characters; each page links to the next one by `info.next`.
    ///
    /// - Parameter statesCount: whether `info` also has the number of records.
    package static func characters(
      _ count: Int, pageSize: Int, statesCount: Bool = true, _ request: ServedRequest
    ) -> ServedResponse {
      let page = number("page", request) ?? 1
      let numbers = records(ofPage: page, pageSize, count)
      guard page == 1 || !numbers.isEmpty else { return ServedResponse(404, text: "{}") }
      let host = request.fields["host"] ?? ""
      let next =
        page * pageSize < count ? "\"http://\(host)\(request.path)?page=\(page + 1)\"" : "null"
      let stated = statesCount ? "\"count\":\(count)," : ""
      return ServedResponse(
        text: #"{"info":{\#(stated)"next":\#(next)},"results":["#
          + numbers.map(character).joined(separator: ",") + "]}")
    }

    /// News; a page has a number, and states the number of articles.
    package static func news(
      _ count: Int, pageSize: Int, _ request: ServedRequest
    ) -> ServedResponse {
      let size = number("pageSize", request) ?? pageSize
      let numbers = records(ofPage: number("page", request) ?? 1, size, count)
      return ServedResponse(
        text: #"{"status":"ok","totalResults":\#(count),"articles":["#
          + numbers.map(article).joined(separator: ",") + "]}")
    }

    /// Images; a page begins after an id.
    package static func images(
      _ count: Int, pageSize: Int, _ request: ServedRequest
    ) -> ServedResponse {
      let after = value("after_id", request).flatMap { id in
        (0..<count).first { imageID($0) == id.uppercased() }
      }
      let start = after.map { $0 + 1 } ?? 0
      let items = (start..<min(start + pageSize, count)).map { number in
        #"{"id":"\#(imageID(number))","image":"https://example.org/\#(number).png"}"#
      }
      return ServedResponse(text: #"{"items":[\#(items.joined(separator: ","))]}"#)
    }

    /// The id of an image.
    package static func imageID(_ number: Int) -> String {
      let digits = String(number, radix: 16, uppercase: true)
      return "59916DC3-F218-4838-A5DA-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// The value of a parameter in the query of a request.
    package static func value(_ name: String, _ request: ServedRequest) -> String? {
      URLComponents(string: request.target)?.queryItems?.first { $0.name == name }?.value
    }

    private static func number(_ name: String, _ request: ServedRequest) -> Int? {
      value(name, request).flatMap { Int($0) }
    }

    private static func records(ofPage number: Int, _ size: Int, _ count: Int) -> Range<Int> {
      let start = min((number - 1) * size, count)
      return start..<min(start + size, count)
    }

    private static func character(_ number: Int) -> String {
      let status = number % 2 == 0 ? "Alive" : "Dead"
      return #"{"name":"N\#(number)","status":"\#(status)","species":"Human","#
        + #""image":"https://example.org/\#(number).png"}"#
    }

    private static func article(_ number: Int) -> String {
      #"{"source":{"id":"s\#(number % 2)","name":"S\#(number % 2)"},"title":"T\#(number)","#
        + #""url":"https://example.org/\#(number)","publishedAt":"2020-05-20T11:24:59Z"}"#
    }
  }
#endif
