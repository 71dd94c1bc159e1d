/// Which users other than the owner may use the files of a store.
///
/// A reader has to write to the lock file. Every user who may read is therefore trusted not to stop
/// others.
public enum Sharing: Hashable, Sendable {
  /// None: files have mode 0600, directories 0700.
  case owner
  /// Members of the directory's group may read. Data files have mode 0640, lock files 0660.
  /// Directories have mode 2770, so that new files belong to the same group.
  case group

  var dataMode: UInt32 { self == .owner ? 0o600 : 0o640 }
  package var lockMode: UInt32 { self == .owner ? 0o600 : 0o660 }
  package var directoryMode: UInt32 { self == .owner ? 0o700 : 0o2770 }

  /// Sets the permissions of an environment's directory, data file and lock file.
  ///
  /// LMDB creates both files with one mode, masked by the umask.
  func apply(to directory: String) throws(LMDBError) {
    guard self == .group else { return }
    try FileSystem.setMode(directoryMode, of: directory)
    try FileSystem.setMode(dataMode, of: directory + "/" + DataFile.name)
    try FileSystem.setMode(lockMode, of: directory + "/" + DataFile.lockName)
  }
}
