import Testing

/// What is lent cannot be kept: the compiler refuses it, in a client that sets no flags.
@Suite("Lifetimes")
struct LifetimeTests {
  @Test("what keeps something lent does not compile", arguments: Escape.all)
  func escapes(escape: Escape) throws {
    let errors = try SnippetCompiler().errors(of: escape.program)
    #expect(!errors.isEmpty, "it compiles")
    for error in errors {
      #expect(escape.refusals.contains { error.contains($0) }, "another error: \(error)")
    }
  }

  @Test("its twin, which copies what it keeps, compiles", arguments: Escape.all)
  func twins(escape: Escape) throws {
    #expect(try SnippetCompiler().errors(of: escape.twinProgram) == [])
  }
}
