import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The value of `--url`: a URL with a host, for HTTP.
struct ServiceURL: ExpressibleByArgument {
  let url: URL

  init?(argument: String) {
    guard let url = URL(string: argument), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), url.host()?.isEmpty == false,
      1...65_535 ~= url.port ?? 80
    else { return nil }
    self.url = url
  }
}
