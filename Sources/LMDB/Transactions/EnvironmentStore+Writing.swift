import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EnvironmentStore {
  /// Runs a body in a write transaction on the calling thread. Commits when the body returns,
  /// aborts when it throws.
  ///
  /// LMDB ties a write transaction to its thread, by a lock on which a second write would deadlock.
  /// `Environment` calls this on its writer thread only.
  ///
  /// - Parameters:
  ///   - lineage: the lineage of the file with the caller's previous writes
  ///   - wait: how long to wait for the writers of other processes; nil for a file that no other
  ///     process can know
  func transact<R, Failure: LMDBErrorConvertible>(
    lineage: UInt64? = nil, waiting wait: WriterLock.Wait? = nil,
    _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let handle: OpaquePointer
    let file: MappedFile
    do throws(LMDBError) {
      (handle, file) = try beginWriting(lineage, wait)
    } catch {
      throw Failure(error)
    }
    defer { endWriting(file) }
    changes = TransactionChanges()
    withdrawAbandoned(file, handle)
    var transaction = WriteTransaction(handle: handle, store: self)
    let result: R
    do throws(Failure) {
      result = try body(&transaction)
    } catch {
      mdb_txn_abort(handle)
      note(transaction.failure)
      throw error
    }
    if let failure = transaction.failure {
      mdb_txn_abort(handle)
      note(failure)
      throw Failure(failure)
    }
    do throws(LMDBError) {
      try commit(handle, of: file)
    } catch {
      note(error)
      throw Failure(error)
    }
    if shortage != nil { tick(file) }
    return result
  }

  private func commit(_ transaction: OpaquePointer, of file: MappedFile) throws(LMDBError) {
    // A transaction without changes is not written.
    if !changes.isEmpty {
      do throws(LMDBError) {
        try makeNameDurable(of: file, transaction)
        let code = ReplacementRecord.stamp(transaction)
        if code != 0 { throw error(code, "commit") }
      } catch {
        mdb_txn_abort(transaction)
        throw error
      }
    }
    let code = EarlyWriteBack.during(commitOf: changes.byteCount, to: file.handle) {
      mdb_txn_commit(transaction)
    }
    if code != 0 { throw error(code, "commit") }
  }

  /// Makes the file's name durable before a commit to the file is acknowledged. The process that
  /// created or replaced the file may have been killed before that.
  private func makeNameDurable(of file: MappedFile, _ transaction: OpaquePointer) throws(LMDBError)
  {
    guard !file.isNameDurable else { return }
    if !ReplacementRecord.isNameDurable(file.identity, transaction) {
      do throws(LMDBError) {
        try FileSystem.synchronize(FileSystem.parent(of: path) ?? ".")
      } catch {
        // A process that may not read the directory did not create the store in it.
        guard error.code == .permission else { throw error }
      }
      let code = ReplacementRecord.addName(of: file.identity, transaction)
      if code != 0 { throw error(code, "write") }
    }
    file.isNameDurable = true
  }

  /// Withdraws the announcement of a replacement whose process was killed. Readers can then check
  /// the path less often again.
  private func withdrawAbandoned(_ file: MappedFile, _ transaction: OpaquePointer) {
    guard let process = ReplacementRecord.announcer(of: file.identity, transaction),
      process != getpid(), kill(process, 0) != 0, errno == ESRCH, changes.change()
    else { return }
    _ = ReplacementRecord.withdraw(transaction)
  }

  private func beginWriting(
    _ lineage: UInt64?, _ wait: WriterLock.Wait?
  ) throws(LMDBError) -> (OpaquePointer, MappedFile) {
    try verifyProcess()
    for _ in 0..<Self.attempts {
      let file = try use()
      do throws(LMDBError) {
        if let wait {
          try awaitSupersededReaders(wait.start + wait.timeout)
          try lock(file, wait)
        }
        if let handle = try begin(file) {
          // A replacing process holds the write lock, which this transaction has now.
          if try !isReplaced(file, handle) {
            if lineage == nil || lineage == file.lineage { return (handle, file) }
            mdb_txn_abort(handle)
            throw replaced
          }
        }
      } catch {
        endWriting(file)
        throw error
      }
      endWriting(file)
      try EnvironmentRegistry.shared.follow(self, from: file, writes: true)
    }
    throw replacedAgain
  }

  /// Excludes the writers of other processes. If the file must not be written or is not at the path
  /// any more, that is found later.
  private func lock(
    _ file: MappedFile, _ wait: WriterLock.Wait
  ) throws(LMDBError) {
    if file.writerLock == nil { file.writerLock = WriterLock(path, file.identity) }
    try file.writerLock?.acquire(wait)
  }

  private func endWriting(_ file: MappedFile) {
    file.writerLock?.release()
    end(file)
  }

  private func isReplaced(
    _ file: MappedFile, _ transaction: OpaquePointer
  ) throws(LMDBError) -> Bool {
    do throws(LMDBError) {
      guard try isReplaced(file) else {
        try requireOneName()
        try requireLastCommit(file, transaction)
        return false
      }
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    mdb_txn_abort(transaction)
    return true
  }

  /// Rejects writing to a data file with several names. Another name has its own lock file, which
  /// does not exclude writers here. Reading without writers needs no lock, so backups made of links
  /// are readable.
  private func requireOneName() throws(LMDBError) {
    guard let status = try FileSystem.status(of: path + "/" + DataFile.name),
      status.st_nlink > 1
    else { return }
    throw LMDBError(
      .invalidArgument,
      "the data file has another name (a hard link), and processes that use the two would not lock"
        + " each other out: it can only be read; delete the other name, or put a copy in its place",
      path: path)
  }

  /// Rejects a transaction that does not build on the last commit. A program that does not take the
  /// lock of writers can have made a new lock file during a write.
  private func requireLastCommit(
    _ file: MappedFile, _ transaction: OpaquePointer
  ) throws(LMDBError) {
    guard MappedFile.lastCommit(of: file.handle) + 1 != mdb_txn_id(transaction) else { return }
    throw LMDBError(
      .busy,
      "lock.mdb was removed during a write, and the processes that have the store open disagree about"
        + " its last commit; end all of them, and start them again",
      path: path)
  }

  /// Nil if the file had to be reopened.
  private func begin(_ file: MappedFile) throws(LMDBError) -> OpaquePointer? {
    // A killed reader would keep the pages of its snapshot from being reused.
    _ = file.checkReaders()
    var transaction: OpaquePointer?
    let code = try begin(file, 0, &transaction)
    if code == MDB_PANIC {
      try EnvironmentRegistry.shared.reopen(self, file, users: 1)
      return nil
    }
    guard code == 0, let transaction else { throw error(code, "begin writing") }
    return transaction
  }

  private var replaced: LMDBError {
    LMDBError(
      .replaced, "the store was replaced by a restored one while it was written; begin again",
      path: path)
  }

  // MARK: Disk space

  private func note(_ failure: LMDBError?) {
    guard let failure, failure.code == .diskFull || failure.code == .mapFull else { return }
    shortage = max(shortage ?? 0, changes.byteCount)
  }

  /// Commits again after a commit.
  ///
  /// Pages that a transaction frees are usable by the second transaction after it, not by the next
  /// one. A write without enough space is never committed. Without this commit it would fail
  /// forever, however much was deleted before.
  private func tick(_ file: MappedFile) {
    if changes.byteCount >= shortage ?? 0 { shortage = nil }
    var transaction: OpaquePointer?
    guard mdb_txn_begin(file.handle, nil, 0, &transaction) == 0, let transaction else { return }
    let isReady =
      ReplacementRecord.touch(transaction) == 0 && ReplacementRecord.stamp(transaction) == 0
    // If there is no space for it, the next write tries again.
    if isReady { mdb_txn_commit(transaction) } else { mdb_txn_abort(transaction) }
  }
}
