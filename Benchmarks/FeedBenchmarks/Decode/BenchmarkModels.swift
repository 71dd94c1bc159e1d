import FeedCore
import Foundation

extension University: BenchmarkModel {
  init?(object: [String: Any]) {
    guard let name = object["name"] as? String, let country = object["country"] as? String,
      let code = object["alpha_two_code"] as? String,
      let webPages = object["web_pages"] as? [String]
    else { return nil }
    self.init(
      name: name, country: country, alphaTwoCode: code,
      stateProvince: object["state-province"] as? String, webPages: webPages,
      domains: object["domains"] as? [String])
  }

  var textBytes: Int {
    name.utf8.count + country.utf8.count + webPages.reduce(0) { $0 + $1.utf8.count }
  }
}

extension Article: BenchmarkModel {
  init?(object: [String: Any]) {
    guard let source = object["source"] as? [String: Any],
      let sourceName = source["name"] as? String, let title = object["title"] as? String,
      let url = (object["url"] as? String).flatMap({ URL(string: $0) }),
      let date = (object["publishedAt"] as? String).flatMap(Date.init(iso8601:))
    else { return nil }
    self.init(
      source: Source(id: source["id"] as? String, name: sourceName),
      author: object["author"] as? String, title: title,
      description: object["description"] as? String, url: url,
      urlToImage: (object["urlToImage"] as? String).flatMap { URL(string: $0) },
      publishedAt: date, content: object["content"] as? String)
  }

  var textBytes: Int { title.utf8.count + (content?.utf8.count ?? 0) }
}

extension FeedImage: BenchmarkModel {
  init?(object: [String: Any]) {
    guard let id = (object["id"] as? String).flatMap({ UUID(uuidString: $0) }),
      let url = (object["image"] as? String).flatMap({ URL(string: $0) })
    else { return nil }
    self.init(
      id: id, description: object["description"] as? String,
      location: object["location"] as? String, url: url)
  }

  var textBytes: Int { (description?.utf8.count ?? 0) + (location?.utf8.count ?? 0) }
}

extension ImageComment: BenchmarkModel {
  init?(object: [String: Any]) {
    guard let id = (object["id"] as? String).flatMap({ UUID(uuidString: $0) }),
      let message = object["message"] as? String,
      let date = (object["created_at"] as? String).flatMap(Date.init(iso8601:)),
      let author = object["author"] as? [String: Any],
      let username = author["username"] as? String
    else { return nil }
    self.init(id: id, message: message, createdAt: date, username: username)
  }

  var textBytes: Int { message.utf8.count + username.utf8.count }
}

extension SeriesCharacter: BenchmarkModel {
  init?(object: [String: Any]) {
    guard let name = object["name"] as? String, let status = object["status"] as? String,
      let species = object["species"] as? String,
      let image = (object["image"] as? String).flatMap({ URL(string: $0) })
    else { return nil }
    self.init(name: name, status: status, species: species, image: image)
  }

  var textBytes: Int { name.utf8.count + species.utf8.count }
}

extension Date {
  fileprivate init?(iso8601 text: String) {
    guard let date = try? Date.ISO8601FormatStyle().parse(text) else { return nil }
    self = date
  }
}
