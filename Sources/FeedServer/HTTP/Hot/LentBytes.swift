#if Server
  import CMemoryFile
  import NIOCore

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// Bytes that sockets take from where they lie.
  ///
  /// What is written to a socket is copied, into pages that no cache holds once many clients have
  /// such answers to take; the pages of a file are lent to the socket instead (sendfile). This file
  /// has no name and cannot be changed, so that what is under way stays as it is. The system frees
  /// its pages when the last socket has let go of them. With 50 clients that take 50 KB at a time the
  /// 99th percentile was 2.9–3.7 times that of nginx with copies.
  final class LentBytes: Sendable {
    let count: Int
    private let descriptor: CInt
    private let budget: LentBytesBudget

    /// - Parameters:
    ///   - count: of the bytes
    ///   - isRenewal: whether they take the place of others
    ///   - bytes: asked for only where there is room for them
    /// - Returns: nil where there is no room in the budget, or the system has no such files or no
    ///   memory for one
    init?(
      _ count: Int, within budget: LentBytesBudget, isRenewal: Bool = false,
      _ bytes: () -> [UInt8]?
    ) {
      guard budget.take(count, isRenewal: isRenewal) else { return nil }
      let descriptor = bytes().map { bytes in
        bytes.withUnsafeBytes { memory_file_create($0.baseAddress, $0.count) }
      }
      guard let descriptor, descriptor >= 0 else {
        // Not asked again where there are none, since each time costs a copy.
        if descriptor != nil, errno == ENOSYS { budget.close() }
        budget.giveBack(count)
        return nil
      }
      self.descriptor = descriptor
      self.budget = budget
      self.count = count
    }

    deinit {
      close(descriptor)
      budget.giveBack(count)
    }

    /// A copy of those from a place on; nil where the system does not give them.
    func copy(from start: Int) -> [UInt8]? {
      let wanted = count - start
      let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
        initialized = max(pread(descriptor, buffer.baseAddress, wanted, off_t(start)), 0)
      }
      return bytes.count == wanted ? bytes : nil
    }

    /// Hands those from a place on to a channel of this loop. The file stays open until they are
    /// sent, or given up.
    func write(
      from start: Int = 0, on eventLoop: any EventLoop,
      to output: (IOData, EventLoopPromise<Void>?) -> Void
    ) {
      // One for each time: two loops cannot use one at once.
      let file = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
      let sent = eventLoop.makePromise(of: Void.self)
      sent.futureResult.whenComplete { _ in
        _ = try? file.takeDescriptorOwnership()
        withExtendedLifetime(self) {}
      }
      let region = FileRegion(fileHandle: file, readerIndex: start, endIndex: count)
      output(.fileRegion(region), sent)
    }
  }
#endif
