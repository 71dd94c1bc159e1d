#if Cluster
  import FeedStorage
  import RESPClient

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Numbers of generations: 41 bits of milliseconds since 2001 and 15 random bits.
  ///
  /// A counter in the cluster could repeat a number after a failover.
  enum ClusterNumbers {
    /// The time in seconds since 2001-01-01T00:00:00Z.
    static func seconds() -> Double { Date().timeIntervalSinceReferenceDate }

    /// A number above another one, even if the clock was set back.
    static func next(above number: UInt64) -> UInt64 {
      let time = UInt64(max(seconds() * 1_000, 0)) & (1 << 41 - 1)
      let candidate = time << 15 | UInt64.random(in: 0..<1 << 15)
      return candidate > number ? candidate : number + .random(in: 1...1 << 15)
    }
  }

  extension SharedStore {
    /// Reserves a number that no segment of the cluster has.
    func reserveNumber(above last: UInt64) async throws(StoreError) -> UInt64 {
      while true {
        let number = ClusterNumbers.next(above: last)
        let reserve = RESPCommand(
          "SET", keys.reservation(number), "1", "NX", "PX",
          .integer(options.lease.milliseconds))
        let first = StoredBlockKey(segment: number, part: .records, number: 0)
        let exists = RESPCommand("EXISTS", keys.block(first), access: .readPrimary)
        if try await settle([reserve])[0].isOK, try await settle([exists])[0].integer == 0 {
          return number
        }
      }
    }
  }
#endif
