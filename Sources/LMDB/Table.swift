/// A named table of one environment.
///
/// Plain data, so that passing one costs nothing. It can be used only with
/// transactions of the environment it came from.
package struct Table: Hashable, Sendable {
  let identifier: UInt32
  let environment: UInt64
}
