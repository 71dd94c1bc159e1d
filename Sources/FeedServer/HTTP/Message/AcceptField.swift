/// A field by which a client weighs alternatives, such as `gzip, zstd;q=0.5` (RFC 9110, section
/// 12.4.2).
struct AcceptField: Sendable {
  /// The alternatives in the order of the field. Names are in lower case. The quality is in
  /// thousandths; 0 means not acceptable.
  let items: [(name: Substring, quality: Int)]

  /// The maximum number of items that are read.
  private static let maximumItems = 32

  /// Parses a field; nil counts as a field without items. Malformed items are ignored.
  init(_ field: String?) {
    items = (field ?? "").lowercased().split(separator: ",", maxSplits: Self.maximumItems)
      .prefix(Self.maximumItems).compactMap(Self.item)
  }

  /// The quality of an alternative; nil if the field does not name it.
  func quality(of name: String) -> Int? {
    items.lazy.filter { $0.name == name }.map(\.quality).max()
  }

  private static func item(_ text: Substring) -> (name: Substring, quality: Int)? {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmingBlanks)
    guard let name = parts.first, !name.isEmpty else { return nil }
    guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else {
      return (name, 1000)
    }
    return quality(weight.dropFirst(2)).map { (name, $0) }
  }

  /// `0` to `1` with at most three decimals.
  private static func quality(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
    let decimals = parts.count > 1 ? parts[1] : ""
    guard decimals.count <= 3, decimals.allSatisfy({ $0.isASCII && $0.isNumber }),
      let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.count))
    else { return nil }
    return whole == "0" ? thousandths : thousandths == 0 ? 1000 : nil
  }
}

extension Substring {
  /// Without leading and trailing blanks.
  var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
