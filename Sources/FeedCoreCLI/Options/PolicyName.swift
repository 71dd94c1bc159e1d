public import ArgumentParser
public import FeedCore

/// The value of `--policy`: the name of an app's cache policy.
struct PolicyName: ExpressibleByArgument {
  let policy: CachePolicy

  init?(argument: String) {
    guard let policy = CachePolicy.presets[argument] else { return nil }
    self.policy = policy
  }

  static var allValueStrings: [String] { CachePolicy.presets.keys.sorted() }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
