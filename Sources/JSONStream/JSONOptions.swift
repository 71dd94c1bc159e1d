package import CFeedScan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a document is read: what it may ask for, and what to do where JSON leaves a choice.
public struct JSONOptions: Sendable, Hashable {
  /// What half of a surrogate pair in an escape is taken for (RFC 8259, section 8.2).
  public enum LoneSurrogates: String, Sendable, Hashable, CaseIterable {
    /// An error.
    case error
    /// The replacement character, U+FFFD.
    case replace
  }

  /// Which value counts if an object has a key twice (RFC 8259, section 4, leaves it open). Only
  /// keys that a schema names are looked at.
  public enum DuplicateKeys: String, Sendable, Hashable, CaseIterable {
    /// None: the record is refused.
    case error
    case first, last
  }

  /// How records are validated. The verdict, its position and the values never depend on it.
  public enum Validation: String, Sendable, Hashable, CaseIterable {
    /// Records that repeat what YAJL has accepted are validated by comparing bytes; YAJL
    /// validates every other one. The fastest, and the default.
    case replay
    /// YAJL validates every record.
    case yajl
    /// Both validate every record. A difference between them ends the reading with an error of
    /// the kind `internal`. For tests.
    case both
  }

  /// What a document may ask of the parser.
  public var limits = JSONLimits()
  /// Refused by default.
  public var loneSurrogates = LoneSurrogates.error
  /// The last value counts by default.
  public var duplicateKeys = DuplicateKeys.last
  /// By replay by default. The environment variable `FEEDCORE_VALIDATION` changes the default.
  public var validation = Self.defaultValidation
  /// How many threads validate and map records, the calling one among them. At least 1, at most
  /// ``maximumLanes``; one for each processor by default.
  public var lanes = Self.defaultLanes
  /// Bytes of input that a lane takes at a time: most of a segment, with which a job ends. Less than
  /// that is no reason to begin another lane.
  package var laneBytes = 240 << 10

  /// Bytes scanned and validated at a time, so that they are still in the cache when the next stage
  /// comes to them.
  package var sliceBytes = 128 << 10
  /// The instructions that scanning and replay use. For tests: the fastest by default.
  package var kernel = feedscan_best_kernel()

  /// The most lanes there can be.
  public static let maximumLanes = 8
  private static let defaultLanes = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), maximumLanes)

  private static let defaultValidation =
    getenv("FEEDCORE_VALIDATION").flatMap { Validation(rawValue: String(cString: $0)) } ?? .replay

  /// The defaults: strict, a lane for each processor.
  public init() {}

  var laneCount: Int { min(max(lanes, 1), Self.maximumLanes) }
}
