import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Bytes shared by every process that opens a file: marks that cost a load or a store, never block,
/// and may be lost. Counters may follow them.
///
/// The file is written in full before it gets its name. Filling a hole on a full disk would end the
/// process by SIGBUS. For the same reason the file is never truncated, only replaced by rename.
///
/// `@unchecked Sendable`: address and length never change, and the map lives as long as the object.
/// Threads and processes access its bytes and counters by atomic operations only.
package final class SharedByteMap: @unchecked Sendable {
  /// The number of bytes.
  package let count: Int
  private let bytes: UnsafeMutablePointer<Atomic<UInt8>>
  private let counterCount: Int
  private let counters: UnsafeMutablePointer<Atomic<UInt64>>

  /// The layout of a file: bytes, then counters aligned to a cache line.
  private struct Layout {
    let count: Int
    let counterCount: Int
    var start: Int { counterCount == 0 ? count : (count + 63) / 64 * 64 }
    var fileBytes: Int { start + counterCount * 8 }
  }

  /// Maps a file with these numbers of bytes and counters; nil if no file of this size exists.
  package static func openExisting(
    _ path: String, count: Int, counters: Int = 0
  ) throws(LMDBError) -> SharedByteMap? {
    try map(path, Layout(count: count, counterCount: counters))
  }

  /// Maps the file. If no file of this size exists, creates one with zeros.
  package static func open(
    _ path: String, count: Int, counters: Int = 0, _ sharing: Sharing = .owner
  ) throws(LMDBError) -> SharedByteMap {
    let layout = Layout(count: count, counterCount: counters)
    if let existing = try map(path, layout) { return existing }
    for attempt in 0..<8 {
      if attempt > 0 { usleep(1000 << attempt) }
      try create(path, layout.fileBytes, sharing)
      if let created = try map(path, layout) { return created }
    }
    throw LMDBError(.busy, "another process replaces the file; try again", path: path)
  }

  private init(_ address: UnsafeMutableRawPointer, _ layout: Layout) {
    count = layout.count
    counterCount = layout.counterCount
    // Atomics have the layout of their values. The map covers these counts, and its address is
    // page-aligned.
    bytes = address.bindMemory(to: Atomic<UInt8>.self, capacity: count)
    counters = (address + layout.start)
      .bindMemory(to: Atomic<UInt64>.self, capacity: counterCount)
  }

  deinit { munmap(bytes, Layout(count: count, counterCount: counterCount).fileBytes) }

  /// Sets a byte to one. Writes only if it is not set, so that a page read by all stays shared.
  package func mark(_ index: Int) {
    guard index >= 0, index < count else { return }
    if bytes[index].load(ordering: .relaxed) == 0 { bytes[index].store(1, ordering: .relaxed) }
  }

  /// Sets a byte to zero.
  package func clear(_ index: Int) {
    guard index >= 0, index < count else { return }
    bytes[index].store(0, ordering: .relaxed)
  }

  /// Whether a byte is set.
  package func isMarked(_ index: Int) -> Bool {
    index >= 0 && index < count && bytes[index].load(ordering: .relaxed) != 0
  }

  // MARK: Counters

  /// Increments a counter. A counter restarts at zero if the file is lost.
  package func increment(_ counter: Int) {
    guard counter >= 0, counter < counterCount else { return }
    counters[counter].wrappingAdd(1, ordering: .relaxed)
  }

  /// Sets a counter. Writes only if the value changes.
  package func set(_ counter: Int, to value: UInt64) {
    guard counter >= 0, counter < counterCount else { return }
    if counters[counter].load(ordering: .relaxed) != value {
      counters[counter].store(value, ordering: .relaxed)
    }
  }

  /// The value of a counter.
  package func value(ofCounter counter: Int) -> UInt64 {
    guard counter >= 0, counter < counterCount else { return 0 }
    return counters[counter].load(ordering: .relaxed)
  }

  // MARK: Files

  /// Nil if there is no file of this size.
  private static func map(_ path: String, _ layout: Layout) throws(LMDBError) -> SharedByteMap? {
    let count = layout.fileBytes
    let descriptor = systemOpen(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw .system(errno, doing: "open it", path: path) }
    defer { close(descriptor) }
    guard try FileSystem.size(ofDescriptor: descriptor, path: path) == count else { return nil }
    let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else {
      throw .system(errno, doing: "map it", path: path)
    }
    return SharedByteMap(address, layout)
  }

  private static func create(
    _ path: String, _ count: Int, _ sharing: Sharing
  ) throws(LMDBError) {
    let temporary = "\(path).\(count).new"
    // A leftover of a killed creator, or a link that a member of the group has created.
    unlink(temporary)
    let descriptor = systemOpen(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    // Another creator has reached the same step, and its file serves both.
    if descriptor < 0, errno == EEXIST { return }
    guard descriptor >= 0 else { throw .system(errno, doing: "create it", path: path) }
    defer { close(descriptor) }
    // Readers set marks, so the file has the mode of the lock file.
    if sharing == .group { try FileSystem.setMode(sharing.lockMode, of: temporary) }
    let failure = fill(descriptor, count)
    if failure != 0 {
      unlink(temporary)
      throw .system(failure, doing: "create it", path: path)
    }
    // Another creator may have been faster, and another process may have mapped its file.
    if link(temporary, path) == 0 || errno == EEXIST && isOfSize(count, path) {
      unlink(temporary)
    } else if rename(temporary, path) != 0, errno != ENOENT {
      let failure = errno
      unlink(temporary)
      throw .system(failure, doing: "create it", path: path)
    }
  }

  private static func isOfSize(_ count: Int, _ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && Int(status.st_size) == count
  }

  /// Zero, or the error number that kept the file from being written in full.
  private static func fill(_ descriptor: CInt, _ count: Int) -> CInt {
    #if canImport(Glibc)
      let code = posix_fallocate(descriptor, 0, off_t(count))
      if code != 0, code != EOPNOTSUPP, code != EINVAL { return code }
    #endif
    let zeros = [UInt8](repeating: 0, count: 64 << 10)
    var done = 0
    while done < count {
      let written = pwrite(descriptor, zeros, min(zeros.count, count - done), off_t(done))
      if written < 0, errno == EINTR { continue }
      if written <= 0 { return written < 0 ? errno : EIO }
      done += written
    }
    return fsync(descriptor) == 0 ? 0 : errno
  }
}

// Inside the type, `open` alone would refer to the method.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags, 0o600) }
