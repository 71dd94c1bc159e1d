#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `data.mdb` of an environment that is not open in this process.
///
/// LMDB takes a file of no bytes for a new database, and ends the process by
/// SIGBUS where a file is shorter than its meta pages say. Both are found
/// here first, by reading.
struct DataFile {
  static let name = "data.mdb"
  static let lockName = "lock.mdb"

  let directory: String
  let identity: FileSystem.Identity
  private var path: String { directory + "/" + Self.name }

  /// Nil where the directory holds no data file.
  init?(in directory: String) throws(LMDBError) {
    guard let status = try FileSystem.status(of: directory + "/" + Self.name) else { return nil }
    self.directory = directory
    identity = FileSystem.Identity(status)
  }

  /// Throws `damaged` where LMDB should not be let near the file.
  ///
  /// - Important: closing the descriptor used here drops all `fcntl` locks
  ///   this process has on the file. LMDB locks `lock.mdb`, not this one, and
  ///   still no environment on it may be open in this process.
  func verify() throws(LMDBError) {
    // Another process may be committing just now: a torn look is looked at again.
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
    // Pages that were taken and freed again by one transaction are counted
    // but never written, so a shorter file is whole where all it lacks is free.
    guard let free = reader.freeLists(meta),
      Set(free.filter { $0 >= pages && $0 <= meta.lastPage }).count == meta.lastPage - pages + 1
    else { throw damaged("it ends before its last page, as if it had been cut off") }
  }

  /// Proves that the newest meta page is of the commit that it says, and the last one.
  ///
  /// A damaged number would let LMDB take the state before the last commit for the present one,
  /// which is whole in itself. Commits are written to the two pages in turn, and each leaves its
  /// number in its own data too. One flip is not found: bit 1 of the last commit's number, where
  /// that makes it the number that this page had before, since LMDB leaves the very same bytes
  /// where it could not write a meta page. `Environment.flush` sees to it that the state
  /// before is the same.
  private func verifyCommits(
    _ first: PageReader.Meta, _ second: PageReader.Meta, _ reader: PageReader
  ) throws(LMDBError) {
    let (older, newer) = first.transaction < second.transaction ? (first, second) : (second, first)
    // A new database has twice 0, a copy made by LMDB 0 and 1 and the records of what it copied.
    guard newer.transaction > 1 else { return }
    guard newer.transaction - older.transaction == 1, first.transaction.isMultiple(of: 2) else {
      throw damaged("the numbers of its meta pages are not those of commits")
    }
    guard let last = reader.lastFreeing(newer) else { throw damaged("its free list is damaged") }
    let stamp = reader.commit(newer)
    guard last <= newer.transaction, stamp == nil || stamp == newer.transaction else {
      throw damaged("a meta page claims to be of another commit")
    }
    // Of the older page nothing more can be asked: LMDB leaves the roots of a commit there whose
    // last write failed, and after a power cut its pages may have been used again.
  }

  private func damaged(_ reason: String) -> LMDBError {
    LMDBError(
      .damaged, "the data file is damaged: \(reason); restore it, or delete \(directory)",
      path: path)
  }
}
