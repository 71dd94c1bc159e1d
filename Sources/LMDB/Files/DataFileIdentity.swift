/// Identifies the data file of an environment, in a form that can be passed to another process. Two
/// files that have the same path at different times differ.
package struct DataFileIdentity: Hashable, Sendable, LosslessStringConvertible {
  private let file: FileSystem.Identity

  init(_ file: FileSystem.Identity) { self.file = file }

  /// The identity of the current environment in a directory; nil if there is none.
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
