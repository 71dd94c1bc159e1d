import LMDB

/// The image store's environment and its tables.
struct ImageTables: Sendable {
  let environment: Environment
  /// For lookups.
  let readers: EnvironmentReaders
  let meta: Table
  let images: Table
  let bodies: Table
  let ring: Table

  static func open(
    _ directory: String, _ options: ImageStore.Options
  ) throws(StoreError) -> ImageTables {
    var configuration = Environment.Configuration(
      tables: ImageFormat.TableName.all, durability: options.durability)
    configuration.mapSize = options.mapSize
    configuration.sharing = options.sharing
    configuration.writerTimeout = options.writerTimeout
    configuration.allowsUnsafeFilesystem = options.allowsUnsafeFilesystem
    configuration.accept = { view, tables throws(LMDBError) in
      try accept(view, try tables.table(ImageFormat.TableName.meta), directory)
    }
    let totals = ImageTotals(byteCap: options.byteCap ?? ImageFormat.byteCap).encoded()
    configuration.initialize = { transaction, tables throws(LMDBError) in
      let meta = try tables.table(ImageFormat.TableName.meta)
      try ImageFormat.format.write(meta, &transaction)
      let key = ImageFormat.totals
      try transaction.put(meta, key.span.bytes, totals.span.bytes)
    }
    do {
      return try ImageTables(try Environment.open(directory, configuration))
    } catch {
      throw StoreError(wrapping: error, path: directory)
    }
  }

  /// Rejects a replacement file that is not an image store.
  private static func accept(
    _ view: borrowing ReadTransaction, _ meta: Table, _ directory: String
  ) throws(LMDBError) {
    do throws(StoreError) {
      _ = try ImageFormat.format.read(meta, view, path: directory)
    } catch {
      throw LMDBError(.closed, error.message, path: directory)
    }
  }

  private init(_ environment: Environment) throws {
    self.environment = environment
    readers = environment.readers
    meta = try environment.table(ImageFormat.TableName.meta)
    images = try environment.table(ImageFormat.TableName.images)
    bodies = try environment.table(ImageFormat.TableName.bodies)
    ring = try environment.table(ImageFormat.TableName.ring)
    let meta = meta
    _ = try environment.read { transaction throws(StoreError) in
      try ImageFormat.format.read(meta, transaction, path: environment.path)
    }
  }

  func totals(_ transaction: borrowing ReadTransaction) throws(StoreError) -> ImageTotals {
    let key = ImageFormat.totals
    do {
      let bytes = try transaction.get(meta, key.span.bytes)
      guard let bytes else { throw RowReader.damaged }
      return try ImageTotals(bytes)
    } catch {
      throw failure(error)
    }
  }

  /// The bytes of all pages with images, their rows and the ring.
  func occupiedBytes(_ transaction: borrowing ReadTransaction) throws(StoreError) -> Int {
    do throws(LMDBError) {
      var sum = 0
      for table in [meta, images, bodies, ring] { sum += try transaction.byteCount(table) }
      return sum
    } catch {
      throw StoreError(error)
    }
  }

  /// Adds the path and the remedy to the error of a damaged row, which knows neither.
  func failure(_ error: any Error) -> StoreError {
    let error = StoreError(wrapping: error, path: environment.path)
    guard error.code == .damaged, error.path == nil else { return error }
    return StoreError(
      .damaged,
      "a row of the image store is damaged; sweep it, or delete the directory, and fetch the"
        + " images again",
      path: environment.path, cause: error)
  }
}
