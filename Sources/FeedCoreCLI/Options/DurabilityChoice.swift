import ArgumentParser
import FeedCore

/// The value of `--durability`.
enum DurabilityChoice: String, CaseIterable, ExpressibleByArgument {
  case cache
  case full

  var durability: Durability { self == .full ? .full : .cache }
}
