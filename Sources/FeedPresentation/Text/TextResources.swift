package import Foundation

/// Finds the module's resources.
///
/// `Bundle.module` looks in the same places, but ends the program where it finds nothing.
package enum TextResources {
  /// The folder that holds those of each language; nil where the resources are missing.
  package static let directory: URL? = places.lazy.compactMap(bundle(in:)).first?.resourceURL

  private static var places: [URL] {
    let bundles = [Bundle.main, Bundle(for: Marker.self)]
    return bundles.flatMap {
      [$0.resourceURL, $0.bundleURL, $0.bundleURL.deletingLastPathComponent()]
    }
    .compactMap { $0 }
  }

  // `.resources` is what a package's bundle is called on Linux, `.bundle` on Apple platforms.
  private static func bundle(in place: URL) -> Bundle? {
    ["resources", "bundle"].lazy
      .map { place.appending(path: "FeedCore_FeedPresentation.\($0)") }
      .compactMap { Bundle(url: $0) }.first
  }

  private final class Marker {}
}
