#if Server
  import FeedPayloads
  import FeedRecord
  import FeedStorage

  /// Which records of a feed are wanted: those that fit every one of its rules.
  struct RecordFilter: Sendable {
    private struct Rule: Sendable {
      let fields: [FieldLocation]
      let search: TextSearch
      let isWhole: Bool
    }

    private let schema: PayloadSchema
    private var rules: [Rule] = []

    init(_ schema: PayloadSchema) { self.schema = schema }

    /// Whether every record is wanted.
    var isEmpty: Bool { rules.isEmpty }

    /// A text is to be part of a field, or of one of several; no text is no rule.
    mutating func require(_ fields: String..., contain text: String?) {
      add(fields, text, isWhole: false)
    }

    /// A field is to be a text, whatever the case.
    mutating func require(_ field: String, equal text: String?) {
      add([field], text, isWhole: true)
    }

    private mutating func add(_ names: [String], _ text: String?, isWhole: Bool) {
      guard let text else { return }
      let fields = names.compactMap { name in
        schema.field(named: name).flatMap { schema.layout.location(of: $0.id) }
      }
      rules.append(Rule(fields: fields, search: TextSearch(text), isWhole: isWhole))
    }

    func fits(_ record: borrowing RecordView) throws(StoreError) -> Bool {
      do throws(RecordError) {
        for rule in rules {
          var fits = false
          for field in rule.fields where !fits {
            guard let text = try record.rawText(field) else { continue }
            fits = rule.isWhole ? rule.search.isWhole(text) : rule.search.isPart(of: text)
          }
          if !fits { return false }
        }
        return true
      } catch {
        throw StoreError(.damaged, "a record is damaged", cause: error)
      }
    }
  }
#endif
