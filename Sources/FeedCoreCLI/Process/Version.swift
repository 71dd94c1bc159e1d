import CFeedCore
import CLMDB
import CYajl

/// The versions of the program and of the C libraries it runs on.
enum Version {
  /// The version in feedcore.h, shared with the C library.
  static let number = FEEDCORE_VERSION

  /// `FeedCore 0.1.0 (YAJL 2.1.0, LMDB 0.9.24)`, with the versions of the loaded libraries.
  static var text: String { "FeedCore \(number) (YAJL \(yajl), LMDB \(lmdb))" }

  private static var yajl: String {
    let version = yajl_version()
    return "\(version / 10_000).\(version / 100 % 100).\(version % 100)"
  }

  private static var lmdb: String {
    var major: CInt = 0
    var minor: CInt = 0
    var patch: CInt = 0
    mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
