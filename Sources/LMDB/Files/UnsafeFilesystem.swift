import CLMDB

/// File systems whose memory maps are not coherent between machines.
///
/// FUSE is not among them, because many local file systems use it.
enum UnsafeFilesystem {
  /// Rejects a directory on a network file system.
  static func refuse(_ directory: String) throws(LMDBError) {
    guard let name = networkFilesystem(of: directory) else { return }
    throw LMDBError(
      .unsafeFilesystem,
      "LMDB cannot work on a network file system (\(name)); put the store on a local disk,"
        + " or allow it where no other machine has it open",
      path: directory)
  }

  private static func networkFilesystem(of directory: String) -> String? {
    // The magic numbers of statfs(2) on Linux; macOS reports only local or not.
    switch feedcore_filesystem_type(directory) {
    case 0x6969: "NFS"
    case 0xFF53_4D42, 0xFE53_4D42, 0x517B: "SMB"
    case 0x0102_1997: "9p"
    case UInt64.max: "a remote volume"
    default: nil
    }
  }
}
