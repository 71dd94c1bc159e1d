import FeedRecord

/// The assets of the pages. An asset never changes under its address, which contains a checksum.
struct PageAssets: Sendable {
  /// One asset.
  struct Asset: Sendable {
    let address: String
    let contentType: String
    let bytes: [UInt8]

    init(_ name: String, _ suffix: String, _ contentType: String, _ bytes: [UInt8]) {
      address = "/assets/\(name)-\(PageAssets.sum(bytes)).\(suffix)"
      self.contentType = contentType
      self.bytes = bytes
    }
  }

  /// The addresses of the assets, for the templates.
  struct Addresses: Sendable {
    let style: String
    let script: String
    let icon: String
  }

  static let all = PageAssets()

  let addresses: Addresses
  private let assets: [Asset]

  private init() {
    let style = Asset("style", "css", "text/css; charset=utf-8", PackageResources.style_css)
    let script = Asset("app", "mjs", "text/javascript; charset=utf-8", PackageResources.app_mjs)
    let icon = Asset("icon", "svg", "image/svg+xml", PackageResources.icon_svg)
    addresses = Addresses(style: style.address, script: script.address, icon: icon.address)
    assets = [style, script, icon]
  }

  /// The asset at an address; nil if there is none.
  func asset(at address: String) -> Asset? { assets.first { $0.address == address } }

  /// A checksum of 16 hexadecimal digits.
  static func sum(_ bytes: [UInt8]) -> String {
    let digits = String(KeyHash.hash(bytes.span.bytes), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
