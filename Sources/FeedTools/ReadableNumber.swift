#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Formats numbers for people, independent of the locale.
package enum ReadableNumber {
  /// `1,234,567`
  package static func grouped(_ number: Int) -> String {
    var text = ""
    let digits = String(number.magnitude)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  /// `1 record`, `1,234,567 records`
  package static func counted(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// `3.1` with one decimal; at most nine decimals. Not a number, infinite or over 10^9: `-`.
  package static func fixed(_ number: Double, decimals: Int) -> String {
    let decimals = min(max(decimals, 0), 9)
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    guard number.magnitude <= 1e9 else { return "-" }
    let scaled = Int((number.magnitude * Double(scale)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
  }

  /// `812 B`, `64.0 kB`, `120.3 MB`, `1.14 GB`, `2.50 TB`, in powers of 1000.
  package static func bytes(_ count: Int) -> String {
    let number = Double(count)
    return switch count.magnitude {
    case ..<1_000: "\(count) B"
    case ..<999_950: "\(fixed(number / 1e3, decimals: 1)) kB"
    case ..<999_950_000: "\(fixed(number / 1e6, decimals: 1)) MB"
    case ..<999_995_000_000: "\(fixed(number / 1e9, decimals: 2)) GB"
    default: "\(fixed(number / 1e12, decimals: 2)) TB"
    }
  }

  /// `0:07`, `12:30`, `1:02:03`, rounded up to whole seconds.
  package static func time(_ seconds: Double) -> String {
    guard seconds >= 0, seconds <= 1e9 else { return "-" }
    let seconds = Int(seconds.rounded(.up))
    let hours = seconds / 3_600
    let minutes = seconds / 60 % 60
    let padded = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    let end = padded(seconds % 60)
    return hours > 0 ? "\(hours):\(padded(minutes)):\(end)" : "\(minutes):\(end)"
  }
}
