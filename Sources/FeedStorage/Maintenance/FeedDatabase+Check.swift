import LMDB

extension FeedDatabase {
  /// The environments of a store: `feeds`, and `images` if there are any.
  public static func environments(at directory: String) -> [String] {
    Environment.names(in: directory)
  }

  /// Verifies an environment of a store: every page is free or used once, and every checksum, every
  /// index entry, every ring entry of an image and every sum is correct.
  ///
  /// A badly damaged file can end the process that reads it; `feedcore store check` runs this in
  /// its own process. Everything is read from one snapshot, so the file grows if another process
  /// writes.
  ///
  /// - Returns: the findings; a damaged environment is not an error
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

  /// Returns false if a tree is damaged: lookups are not safe then.
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

  /// Identifies the current data file of an environment, in a form for other processes; nil if
  /// there is none.
  package static func dataFile(
    of environment: String, at directory: String
  ) throws(StoreError) -> String? {
    do throws(LMDBError) {
      return try DataFileIdentity(in: directory + "/" + environment)?.description
    } catch {
      throw StoreError(error)
    }
  }

  /// Moves a damaged environment of a store aside, to a name with the time. Nothing is deleted, and
  /// the next ingest creates a new environment.
  ///
  /// - Parameters:
  ///   - environment: `feeds` or `images`
  ///   - directory: the directory of the store
  ///   - opening: whether it may be opened. That notifies attached processes, but a damaged
  ///     environment can end this process.
  /// - Returns: its new path
  /// - Throws: `notFound` if there is none; `busy` while another process replaces it
  public static func quarantine(
    _ environment: String = "feeds", at directory: String, opening: Bool = true
  ) throws(StoreError) -> String {
    try quarantine(environment, at: directory, file: nil, opening: opening)
  }

  /// Moves aside one data file, with an identity from ``dataFile(of:at:)``, which must still be
  /// current.
  package static func quarantine(
    _ environment: String, at directory: String, file: String?, opening: Bool
  ) throws(StoreError) -> String {
    let identity = file.flatMap { DataFileIdentity($0) }
    if let file, identity == nil {
      throw StoreError(.misuse, "\(file) is not the identity of a data file")
    }
    do throws(LMDBError) {
      return try Environment.quarantine(
        directory + "/" + environment, file: identity, opening: opening)
    } catch {
      throw StoreError(error)
    }
  }
}

/// The result of verifying one environment of a store.
public struct StoreCheckReport: Hashable, Sendable {
  /// The environment: `feeds`, `images`.
  public var environment: String
  /// One sentence per inconsistency, at most a hundred of a kind; empty if all is intact.
  public var findings: [String] = []
  /// The number of used pages of the file.
  public var pages = 0
  /// The number of published feeds.
  public var feeds = 0
  /// The number of verified blocks, of records and of indexes.
  public var blocks = 0
  /// The number of records that were read and compared with their index.
  public var records = 0
  /// The number of images whose rows, bytes and ring entries were verified.
  public var images = 0

  /// Creates a report without findings.
  public init(environment: String) {
    self.environment = environment
  }

  /// Whether there are no findings.
  public var isSound: Bool { findings.isEmpty }
}
