import ArgumentParser
import FeedCore

/// The value of `--skip-bad`: a number of records, or a share of them such as `0.5%`.
struct RejectAllowance: ExpressibleByArgument {
  let allowance: IngestOptions.Allowance

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else {
        return nil
      }
      allowance = .percent(percent)
    } else {
      guard let count = Int(argument), count >= 0 else { return nil }
      allowance = count == 0 ? .none : .count(count)
    }
  }
}
