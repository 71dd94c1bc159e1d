/// Sentences composed of clauses, escaped for a JSON string.
struct SampleText {
  private let openings: [[UInt8]]
  private let subjects: [[UInt8]]
  private let capitalisedSubjects: [[UInt8]]
  private let verbs: [[UInt8]]
  private let objects: [[UInt8]]
  private let endings: [[UInt8]]
  private let asides: [[UInt8]]

  init() {
    openings = SampleClauses.openings.map { [UInt8](text: $0) }
    subjects = SampleClauses.subjects.map { [UInt8](text: $0) }
    capitalisedSubjects = SampleClauses.subjects.map { subject in
      [UInt8](text: subject.prefix(1).uppercased() + subject.dropFirst())
    }
    verbs = SampleClauses.verbs.map { [UInt8](text: $0) }
    objects = SampleClauses.objects.map { [UInt8](text: $0) }
    endings = SampleClauses.endings.map { [UInt8](text: $0) }
    asides = SampleClauses.asides.map { [UInt8](text: $0) }
  }

  /// Appends about 100 bytes, sometimes with quotes, line breaks, emoji or other scripts.
  func appendSentence(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    if random.isOne(in: 4) {
      buffer.append(random.pick(capitalisedSubjects))
    } else {
      buffer.append(random.pick(openings))
      buffer.append(random.pick(subjects))
    }
    appendPredicate(to: &buffer, using: &random)
    if random.isOne(in: 8) { buffer.append(random.pick(asides)) }
    buffer.append(random.pick(endings))
  }

  func appendHeadline(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(random.pick(capitalisedSubjects))
    appendPredicate(to: &buffer, using: &random)
  }

  private func appendPredicate(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(0x20)
    buffer.append(random.pick(verbs))
    buffer.append(0x20)
    buffer.append(random.pick(objects))
  }
}
