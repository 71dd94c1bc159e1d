#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Whether a transport connects to hosts that are not at public addresses.
///
/// A program that fetches the URLs of a feed uses ``refused(exceptAt:)`` to protect its own machine
/// and network. Otherwise such a URL could reach services that trust every caller from there.
public enum PrivateAddressRule: Sendable, Hashable {
  /// It connects to every address.
  case allowed
  /// It connects to public addresses only, except at the host and port of these URLs.
  ///
  /// A name is looked up once, and refused if any of its addresses is not public. The connection
  /// goes to a verified address, so a change of the address in the meantime has no effect. Each
  /// redirect is verified again.
  case refused(exceptAt: [URL] = [])

  /// Whether a URL is requested without a verification of its addresses.
  func exempts(_ url: URL) -> Bool {
    switch self {
    case .allowed: true
    case .refused(let services): services.contains { Self.isSameService($0, url) }
    }
  }

  /// Whether two HTTP URLs name the same host and port.
  package static func isSameService(_ service: URL, _ url: URL) -> Bool {
    Origin(service)?.hasHostAndPort(of: url) ?? false
  }
}
