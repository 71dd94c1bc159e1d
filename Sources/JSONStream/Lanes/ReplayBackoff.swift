/// Decides when replay is worth trying.
///
/// A record that replay cannot take costs a failed walk and the recording of its tokens. Where such
/// records are more than a quarter, replay pauses: for longer each time that it helps no more.
struct ReplayBackoff {
  /// Records over which fallbacks are counted.
  private static let window = 256
  /// Fallbacks in a window from which on replay pauses.
  private static let maximumFallbacks = 64
  private static let pauses = 2048...(64 << 10)

  private var records = 0
  private var fallbacks = 0
  private var pause = pauses.lowerBound
  /// Records that YAJL validates before replay is tried again.
  private(set) var pauseLeft = 0

  /// Counts records that replay has taken, and the one at which it stopped, if any.
  mutating func count(replayed: Int, hasFallenBack: Bool) {
    records += replayed + (hasFallenBack ? 1 : 0)
    fallbacks += hasFallenBack ? 1 : 0
    if fallbacks > Self.maximumFallbacks {
      pauseLeft = pause
      pause = min(2 * pause, Self.pauses.upperBound)
      (records, fallbacks) = (0, 0)
    } else if records >= Self.window {
      pause = max(pause / 2, Self.pauses.lowerBound)
      (records, fallbacks) = (0, 0)
    }
  }

  /// Counts records of a pause; true if it ends with them.
  mutating func endsPause(after count: Int) -> Bool {
    pauseLeft = max(0, pauseLeft - count)
    return pauseLeft == 0
  }
}
