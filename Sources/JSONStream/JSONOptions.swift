package import CFeedScan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a document is read: its limits, and the choices that JSON leaves open.
public struct JSONOptions: Sendable, Hashable {
  /// How an escape of a lone surrogate is read (RFC 8259, section 8.2).
  public enum LoneSurrogates: String, Sendable, Hashable, CaseIterable {
    /// As an error.
    case error
    /// As the replacement character, U+FFFD.
    case replace
  }

  /// Which value counts if an object repeats a key (RFC 8259, section 4, leaves it open). Only keys
  /// that a schema names are checked.
  public enum DuplicateKeys: String, Sendable, Hashable, CaseIterable {
    /// None: the record is rejected.
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
    /// Both validate every record. If they differ, reading ends with an error of the kind
    /// `internal`. For tests.
    case both
  }

  /// The limits of a document.
  public var limits = JSONLimits()
  /// An error by default.
  public var loneSurrogates = LoneSurrogates.error
  /// The last value counts by default.
  public var duplicateKeys = DuplicateKeys.last
  /// Replay by default. The environment variable `FEEDCORE_VALIDATION` changes the default.
  public var validation = Self.defaultValidation
  /// How many threads validate and map records, including the calling one. At least 1, at most
  /// ``maximumLanes``; one for each processor by default.
  public var lanes = Self.defaultLanes
  /// Bytes of input that complete the job of a lane; a job also ends with its segment. Less input
  /// than this starts no further lane.
  package var laneBytes = 240 << 10

  /// Bytes scanned and validated at a time, so that they are still in the cache for the next stage.
  package var sliceBytes = 128 << 10
  /// The instruction set of scanning and replay, the fastest by default. For tests.
  package var kernel = feedscan_best_kernel()

  /// The maximum number of lanes.
  public static let maximumLanes = 8
  private static let defaultLanes = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), maximumLanes)

  private static let defaultValidation =
    getenv("FEEDCORE_VALIDATION").flatMap { Validation(rawValue: String(cString: $0)) } ?? .replay

  /// The defaults: strict, a lane for each processor.
  public init() {}

  var laneCount: Int { min(max(lanes, 1), Self.maximumLanes) }
}
