#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The origin of an HTTP resource (RFC 6454, section 4).
struct Origin: Hashable {
  private let scheme: String
  private let host: String
  private let port: Int

  /// Nil for other schemes and invalid ports.
  init?(_ url: URL) {
    let ports = ["http": 80, "https": 443]
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), let usual = ports[scheme],
      let host = parts.host?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = parts.port ?? usual
    guard 1...65_535 ~= port else { return nil }
  }

  /// Whether a URL names the same host and port, by any scheme.
  func hasHostAndPort(of url: URL) -> Bool {
    Origin(url).map { ($0.host, $0.port) == (host, port) } ?? false
  }
}
