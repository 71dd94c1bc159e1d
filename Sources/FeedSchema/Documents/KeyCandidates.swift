@_spi(Records) package import JSONStream

/// The fields by which the records of a document may be looked up, chosen from its first records.
///
/// A candidate is a string or a whole number, present in all of them and nearly unique. Names decide
/// the order: ids, then fields that end in `id`, then addresses and codes, then names, then other
/// short strings.
package enum KeyCandidates {
  /// The maximum number of candidates that are returned.
  package static let maximumCount = 3
  /// The maximum number of fields of the first record that are examined.
  static let maximumFields = 256
  /// The minimum number of records for a candidate with any other name. It must be unique in all
  /// of them.
  static let minimumUnique = 16
  /// The length in bytes up to which such a string is a candidate.
  static let maximumTextBytes = 64

  /// The paths of the candidates, best first: one or two object keys, or the index of a column as
  /// decimal text. Empty for records that are not objects, and for rows without a header.
  ///
  /// - Parameters:
  ///   - head: the first bytes of the document, in which the records were found.
  package static func paths(
    in head: RawSpan, of found: RecordsFinder.Found
  ) -> [[String]] {
    guard let first = found.records.first else { return [] }
    var table = KeyCandidateTable(first: first, head, columns: found.columns)
    for record in found.records {
      guard table.add(record, head) else { return [] }
    }
    let count = found.records.count
    let ranked = table.candidates.compactMap { Ranked($0, recordCount: count) }
    // The order of the fields decides between equals: the sort is stable.
    return ranked.sorted().prefix(maximumCount).map(\.path)
  }

  /// A candidate in the order of choice.
  private struct Ranked: Comparable {
    let path: [String]
    let hasRepetitions: Bool
    let rank: KeyRank

    /// Nil if the values do not qualify.
    init?(_ candidate: KeyCandidateTable.Candidate, recordCount: Int) {
      let distinct = candidate.values.count
      guard distinct * 100 >= recordCount * 99 else { return nil }
      if candidate.rank.isOther {
        guard candidate.isShortText, distinct == recordCount, recordCount >= minimumUnique else {
          return nil
        }
      }
      path = candidate.path
      rank = candidate.rank
      // An id stays before other fields even if it repeats.
      hasRepetitions = distinct < recordCount && !rank.isID
    }

    static func < (left: Ranked, right: Ranked) -> Bool {
      if left.hasRepetitions != right.hasRepetitions { return right.hasRepetitions }
      return left.rank < right.rank
    }
  }
}

/// How likely a name is to be that of a key.
struct KeyRank: Comparable {
  private static let ids = [
    "id", "_id", "@id", "uuid", "guid", "key", "pk", "gid", "oid", "id_str",
  ]
  private static let addresses = [
    "url", "uri", "href", "link", "slug", "code", "sku", "isbn", "asin", "email", "login",
    "username", "cca3", "html_url",
  ]
  private static let names = ["name", "title"]

  /// The groups of the ranks, best first.
  private enum Group: Int {
    case id, innerID, suffix, address, name, other
  }

  private let group: Group
  private let position: Int

  /// - Parameter isInner: whether the field is in an object of the record. Only ids are keys there.
  init?(_ name: String, isInner: Bool) {
    let lowercased = name.lowercased()
    if let position = Self.ids.firstIndex(of: lowercased) {
      (group, self.position) = (isInner ? .innerID : .id, position)
      return
    }
    if isInner { return nil }
    if Self.endsInID(name) {
      (group, position) = (.suffix, 0)
    } else if let position = Self.addresses.firstIndex(of: lowercased) {
      (group, self.position) = (.address, position)
    } else if let position = Self.names.firstIndex(of: lowercased) {
      (group, self.position) = (.name, position)
    } else {
      (group, position) = (.other, 0)
    }
  }

  /// Whether any string may have the name.
  var isOther: Bool { group == .other }
  /// Whether the name is that of an id.
  var isID: Bool { group.rawValue <= Group.suffix.rawValue }

  /// `user_id`, `userId` and `userID`, but not `GRID`.
  private static func endsInID(_ name: String) -> Bool {
    if name.hasSuffix("_id") { return true }
    guard name.hasSuffix("Id") || name.hasSuffix("ID"), let before = name.dropLast(2).last else {
      return false
    }
    return ("a"..."z").contains(before)
  }

  static func < (left: KeyRank, right: KeyRank) -> Bool {
    (left.group.rawValue, left.position) < (right.group.rawValue, right.position)
  }
}
