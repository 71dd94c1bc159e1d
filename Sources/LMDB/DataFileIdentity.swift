/// Which data file an environment stands on, as it can be told to another process: two that have
/// the same path one after the other differ.
package struct DataFileIdentity: Hashable, Sendable, LosslessStringConvertible {
  private let file: FileSystem.Identity

  init(_ file: FileSystem.Identity) { self.file = file }

  /// That of the environment in a directory right now; nil where there is none.
  package init?(in directory: String) throws(LMDBError) {
    guard let found = try DataFile(in: directory) else { return nil }
    file = found.identity
  }

  package init?(_ description: String) {
    let numbers = description.split(separator: ":").compactMap { UInt64($0) }
    guard numbers.count == 2 else { return nil }
    file = FileSystem.Identity(device: numbers[0], inode: numbers[1])
  }

  package var description: String { "\(file.device):\(file.inode)" }
}
