/// A named table of one environment.
///
/// A plain value that is cheap to pass. It works only with transactions of its own environment.
package struct Table: Hashable, Sendable {
  let identifier: UInt32
  let environment: UInt64
}
