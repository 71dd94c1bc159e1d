#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension URL {
  /// The URL of an endpoint below this one, with path components and query items added. Scheme,
  /// credentials, host, port and other query items are kept.
  ///
  /// - Parameters:
  ///   - path: components, without slashes; none for the same path.
  ///   - query: names and values; an item with a value replaces the items of its name.
  package func endpoint(_ path: [String], query: [(name: String, value: String?)] = []) -> URL {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    let base = parts.percentEncodedPath
    let added = path.map { "/" + $0.percentEncoded }.joined()
    if !path.isEmpty {
      parts.percentEncodedPath = (base.hasSuffix("/") ? String(base.dropLast()) : base) + added
    }
    let items = query.compactMap { item in item.value.map { (name: item.name, value: $0) } }
    let kept = (parts.percentEncodedQuery ?? "").split(separator: "&").filter { item in
      !items.contains { $0.name == item.prefix { $0 != "=" } }
    }
    let all = kept.map { String($0) } + items.map { "\($0.name)=\($0.value.percentEncoded)" }
    parts.percentEncodedQuery = all.isEmpty ? nil : all.joined(separator: "&")
    parts.fragment = nil
    return parts.url ?? self
  }
}

extension String {
  /// Escapes every byte except those that never need it (RFC 3986, section 2.3). This includes the
  /// plus sign, which services read as a space in a query.
  fileprivate var percentEncoded: String {
    var result = ""
    for byte in utf8 {
      let scalar = Unicode.Scalar(byte)
      switch scalar {
      case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~":
        result.unicodeScalars.append(scalar)
      default:
        result += byte < 16 ? "%0" : "%"
        result += String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
