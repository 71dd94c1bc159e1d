/// Who else may use the files of a store, beside their owner.
///
/// A reader has to write into the lock file, so whoever may read is trusted not to stop others.
public enum Sharing: Hashable, Sendable {
  /// Nobody: files are made with mode 0600, directories with 0700.
  case owner
  /// The members of the directory's group read: data files have mode 0640, lock files 0660,
  /// directories 2770, so that new files belong to the same group.
  case group

  var dataMode: UInt32 { self == .owner ? 0o600 : 0o640 }
  package var lockMode: UInt32 { self == .owner ? 0o600 : 0o660 }
  package var directoryMode: UInt32 { self == .owner ? 0o700 : 0o2770 }

  /// Sets the permissions of an environment's directory, data file and lock file.
  ///
  /// LMDB makes both files with one mode, from which the process's mask is taken.
  func apply(to directory: String) throws(LMDBError) {
    guard self == .group else { return }
    try FileSystem.setMode(directoryMode, of: directory)
    try FileSystem.setMode(dataMode, of: directory + "/" + DataFile.name)
    try FileSystem.setMode(lockMode, of: directory + "/" + DataFile.lockName)
  }
}
