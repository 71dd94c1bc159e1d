#if Server
  import FeedSchema
  import FeedRecord
  import FeedStorage

  /// A filter for records of a feed: a record matches if every rule holds.
  struct RecordFilter: Sendable {
    private struct Rule: Sendable {
      let fields: [RuleField]
      /// One of them must match.
      let searches: [TextSearch]
      let isWhole: Bool
    }

    private struct RuleField: Sendable {
      let location: FieldLocation
      let isList: Bool
    }

    private let schema: PayloadSchema
    private var rules: [Rule] = []

    init(_ schema: PayloadSchema) { self.schema = schema }

    /// Whether every record matches.
    var isEmpty: Bool { rules.isEmpty }

    /// Requires a text to be part of a field, or of one of several. Without a text there is no
    /// rule.
    mutating func require(_ fields: String..., contain text: String?) {
      add(fields, text.map { [$0] }, isWhole: false)
    }

    /// Requires a field, or an element of a list, to equal a text, ignoring case.
    mutating func require(_ field: String, equal text: String?) {
      add([field], text.map { [$0] }, isWhole: true)
    }

    /// Requires a field to equal one of several texts, ignoring case.
    mutating func require(_ field: String, equalAny texts: [String]?) {
      add([field], texts, isWhole: true)
    }

    private mutating func add(_ names: [String], _ texts: [String]?, isWhole: Bool) {
      guard let texts else { return }
      let fields = names.compactMap { name -> RuleField? in
        guard let field = schema.field(named: name),
          let location = schema.layout.location(of: field.id)
        else { return nil }
        return RuleField(location: location, isList: field.kind == .textList)
      }
      rules.append(
        Rule(fields: fields, searches: texts.map { TextSearch($0) }, isWhole: isWhole))
    }

    /// Whether a record matches, which has the fields of the feed's contract or is converted.
    ///
    /// - Throws: `damaged`; `cancelled`
    func fits(_ record: borrowing RecordView, of feed: Feed) throws(StoreError) -> Bool {
      try feed.withFields(of: record) { record throws(StoreError) in try fits(record) }
    }

    private func fits(_ record: borrowing RecordView) throws(StoreError) -> Bool {
      for rule in rules where try !fits(record, rule) { return false }
      return true
    }

    private func fits(
      _ record: borrowing RecordView, _ rule: Rule
    ) throws(StoreError) -> Bool {
      for field in rule.fields {
        if field.isList {
          if try fits(list: field.location, record, rule) { return true }
        } else if let text = try text(field.location, record) {
          if try fits(text, rule) { return true }
        }
      }
      return false
    }

    private func fits(
      list field: FieldLocation, _ record: borrowing RecordView, _ rule: Rule
    ) throws(StoreError) -> Bool {
      guard let list = try list(field, record) else { return false }
      for index in 0..<list.count where try fits(element(index, of: list), rule) { return true }
      return false
    }

    private func fits(_ text: borrowing RawSpan, _ rule: Rule) throws(StoreError) -> Bool {
      for search in rule.searches {
        if try rule.isWhole ? search.isWhole(text) : search.isPart(of: text) { return true }
      }
      return false
    }

    private static func damaged(_ error: RecordError) -> StoreError {
      StoreError(.damaged, "a record is damaged", cause: error)
    }

    @_lifetime(copy record)
    private func list(
      _ field: FieldLocation, _ record: borrowing RecordView
    ) throws(StoreError) -> TextListView? {
      do throws(RecordError) {
        return try record.textList(field)
      } catch {
        throw Self.damaged(error)
      }
    }

    @_lifetime(copy list)
    private func element(
      _ index: Int, of list: borrowing TextListView
    ) throws(StoreError) -> RawSpan {
      do throws(RecordError) {
        return try list.rawElement(at: index)
      } catch {
        throw Self.damaged(error)
      }
    }

    @_lifetime(copy record)
    private func text(
      _ field: FieldLocation, _ record: borrowing RecordView
    ) throws(StoreError) -> RawSpan? {
      do throws(RecordError) {
        return try record.rawText(field)
      } catch {
        throw Self.damaged(error)
      }
    }
  }
#endif
