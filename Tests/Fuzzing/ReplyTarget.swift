import RESPWire
import TestSupport

/// Decodes any bytes as replies, in parts of several sizes with equal results.
///
/// The first byte of an input chooses the limits and the sizes.
enum ReplyTarget: FuzzTarget {
  static func take(_ input: RawSpan) {
    guard !input.isEmpty else { return }
    let bytes = input.withUnsafeBytes { Array($0) }
    let choice = Int(bytes[0])
    var limits = RESPReplyLimits()
    if choice & 1 != 0 { (limits.replyBytes, limits.lineBytes) = (96, 24) }
    if choice & 2 != 0 { (limits.elements, limits.depth) = (8, 3) }
    let text = Array(bytes.dropFirst())
    let whole = DecodedReplies(text, limits, parts: [text.count])
    let other = DecodedReplies(text, limits, parts: [1 + choice >> 2, 1, 13])
    precondition(whole == other, "the parts in which bytes arrive make a difference")
  }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] {
    ReplySamples.all.enumerated().map { [UInt8($0 * 17 % 256)] + $1 }
  }
}
