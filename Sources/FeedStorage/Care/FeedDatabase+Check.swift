import LMDB

extension FeedDatabase {
  /// The environments of a store: `feeds`, and `images` where there are any.
  public static func environments(at directory: String) -> [String] {
    Environment.names(in: directory)
  }

  /// Proves an environment of a store: that every page is used once or free, every checksum,
  /// every entry of an index, every place of an image, and every sum.
  ///
  /// A file that is damaged enough can end the process that reads it; `feedcore store check` does
  /// this in a process of its own. Reads everything from one snapshot, so that the file grows
  /// while somebody writes.
  ///
  /// - Returns: what was found; a damaged environment is no error
  /// - Throws: `notFound`, `permission`, `busy`, `incompatible`, `ioError`
  public static func check(
    _ environment: String = "feeds", at directory: String
  ) throws(StoreError) -> StoreCheckReport {
    var report = StoreCheckReport(environment: environment)
    do throws(StoreError) {
      try check(directory, &report)
    } catch {
      guard error.code == .damaged else { throw error }
      report.findings.append(error.message)
    }
    return report
  }

  private static func check(
    _ directory: String, _ report: inout StoreCheckReport
  ) throws(StoreError) {
    let path = directory + "/" + report.environment
    do throws(LMDBError) {
      guard try Environment.exists(path) else {
        throw LMDBError(.notFound, "there is no store", path: directory)
      }
    } catch {
      throw StoreError(error)
    }
    switch report.environment {
    case StoreFormat.environmentDirectory:
      let tables = try StoreTables.open(path, Options())
      guard try checkPages(of: tables.environment, &report) else { return }
      var check = FeedsCheck(tables, report)
      try check.run()
      report = check.report
    case ImageFormat.environmentDirectory:
      let tables = try ImageTables.open(path, ImageStore.Options(createsMissing: false))
      guard try checkPages(of: tables.environment, &report) else { return }
      var check = ImageCheck(tables)
      try check.run()
      report.images = check.imageCount
      report.findings += check.findings
    default:
      let environment: Environment
      do throws(LMDBError) {
        environment = try .open(path, .init(tables: []))
      } catch {
        throw StoreError(error)
      }
      _ = try checkPages(of: environment, &report)
    }
  }

  /// False where a tree is damaged: nothing can be looked up safely then.
  private static func checkPages(
    of environment: Environment, _ report: inout StoreCheckReport
  ) throws(StoreError) -> Bool {
    do throws(LMDBError) {
      let pages = try environment.auditPages()
      report.pages = pages.usedPages
      report.findings += pages.findings
      return report.isSound
    } catch {
      throw StoreError(error)
    }
  }

  /// Which data file an environment stands on right now, so that another process can be told; nil
  /// where there is none.
  package static func dataFile(
    of environment: String, at directory: String
  ) throws(StoreError) -> String? {
    do throws(LMDBError) {
      return try DataFileIdentity(in: directory + "/" + environment)?.description
    } catch {
      throw StoreError(error)
    }
  }

  /// Moves a damaged environment of a store aside, under a name that tells when; nothing is
  /// deleted, and the next ingest makes a new one.
  ///
  /// - Parameters:
  ///   - environment: `feeds` or `images`
  ///   - directory: the directory of the store
  ///   - opening: whether it may still be opened, which lets processes that are attached
  ///     to it know, and which can end the process where it is damaged
  /// - Returns: where it is now
  /// - Throws: `notFound` where there is none; `busy` while somebody else is replacing it
  public static func quarantine(
    _ environment: String = "feeds", at directory: String, opening: Bool = true
  ) throws(StoreError) -> String {
    try quarantine(environment, at: directory, file: nil, opening: opening)
  }

  /// The same for one data file, as ``dataFile(of:at:)`` calls it, which must be there still.
  package static func quarantine(
    _ environment: String, at directory: String, file: String?, opening: Bool
  ) throws(StoreError) -> String {
    let identity = file.flatMap { DataFileIdentity($0) }
    if let file, identity == nil {
      throw StoreError(.misuse, "\(file) is not what a data file is called")
    }
    do throws(LMDBError) {
      return try Environment.quarantine(
        directory + "/" + environment, file: identity, opening: opening)
    } catch {
      throw StoreError(error)
    }
  }
}
