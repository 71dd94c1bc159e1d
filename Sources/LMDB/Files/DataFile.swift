#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `data.mdb` of an environment that is not open in this process.
///
/// LMDB takes an empty file for a new database. A file shorter than its meta pages claim makes LMDB
/// end the process by SIGBUS. This type detects both by reading the file first.
struct DataFile {
  static let name = "data.mdb"
  static let lockName = "lock.mdb"

  let directory: String
  let identity: FileSystem.Identity
  private var path: String { directory + "/" + Self.name }

  /// Nil if the directory holds no data file.
  init?(in directory: String) throws(LMDBError) {
    guard let status = try FileSystem.status(of: directory + "/" + Self.name) else { return nil }
    self.directory = directory
    identity = FileSystem.Identity(status)
  }

  /// Throws `damaged` if LMDB must not open the file.
  ///
  /// - Important: closing the descriptor used here drops all `fcntl` locks of this process on the
  ///   file. LMDB locks `lock.mdb`, not this file. Even so, no environment on it may be open in
  ///   this process.
  func verify() throws(LMDBError) {
    // Another process may be committing, so a torn read is repeated.
    var failure: LMDBError?
    for attempt in 0..<8 {
      if attempt > 0 { usleep(2000) }
      do throws(LMDBError) {
        try verifyOnce()
        return
      } catch {
        guard error.code == .damaged else { throw error }
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func verifyOnce() throws(LMDBError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno, doing: "open it", path: path) }
    defer { close(descriptor) }
    let size = UInt64(try FileSystem.size(ofDescriptor: descriptor, path: path))
    if size == 0 { throw damaged("it is empty") }
    let reader = PageReader(descriptor: descriptor)
    guard let first = reader.meta(at: 0), let second = reader.meta(at: UInt64(first.pageSize))
    else { throw damaged("its meta pages are not those of LMDB") }
    guard first.pageSize == second.pageSize else { throw damaged("its meta pages disagree") }
    try verifyCommits(first, second, reader)
    let meta = second.transaction > first.transaction ? second : first
    let pages = size / UInt64(meta.pageSize)
    if meta.lastPage < pages { return }
    // One transaction can allocate pages and free them again. LMDB counts them but never writes
    // them. A shorter file is therefore complete if all missing pages are free.
    guard let free = reader.freeLists(meta),
      Set(free.filter { $0 >= pages && $0 <= meta.lastPage }).count == meta.lastPage - pages + 1
    else { throw damaged("it ends before its last page, as if it had been cut off") }
  }

  /// Verifies that the newest meta page belongs to the commit it claims, and that this is the last
  /// one.
  ///
  /// With a damaged number LMDB would use the state before the last commit, which is itself
  /// consistent. Commits alternate between the two meta pages, and each commit also stores its
  /// number in its data. One bit flip is not detected: bit 1 of the last commit's number, if the
  /// result is the number that this page had before. LMDB leaves exactly these bytes when it cannot
  /// write a meta page. `Environment.flush` ensures that the state before is the same.
  private func verifyCommits(
    _ first: PageReader.Meta, _ second: PageReader.Meta, _ reader: PageReader
  ) throws(LMDBError) {
    let (older, newer) = first.transaction < second.transaction ? (first, second) : (second, first)
    // A new database has number 0 twice. A copy made by LMDB has 0 and 1, and the records of its
    // source.
    guard newer.transaction > 1 else { return }
    guard newer.transaction - older.transaction == 1, first.transaction.isMultiple(of: 2) else {
      throw damaged("the numbers of its meta pages are not those of commits")
    }
    guard let last = reader.lastFreeing(newer) else { throw damaged("its free list is damaged") }
    let stamp = reader.commit(newer)
    guard last <= newer.transaction, stamp == nil || stamp == newer.transaction else {
      throw damaged("a meta page claims to be of another commit")
    }
    // Nothing more can be checked on the older page. After a commit whose last write failed, LMDB
    // leaves that commit's roots there. After a power cut its pages may have been reused.
  }

  private func damaged(_ reason: String) -> LMDBError {
    LMDBError(
      .damaged, "the data file is damaged: \(reason); restore it, or delete \(directory)",
      path: path)
  }
}

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
