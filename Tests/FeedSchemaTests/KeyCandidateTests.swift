import FeedSchema
import JSONStream
import Testing

@Suite("Candidates for the key of a document's records")
struct KeyCandidateTests {
  private func paths(_ document: String, isComplete: Bool = true) -> [String] {
    let bytes = Array(document.utf8)
    let head = bytes.span.bytes
    let found = RecordsFinder.plan(head: head, isComplete: isComplete)
    return KeyCandidates.paths(in: head, of: found).map { $0.joined(separator: ".") }
  }

  /// An array of objects, each with these members.
  private func array(_ count: Int, _ members: (Int) -> String) -> String {
    "[\((0..<count).map { "{\(members($0))}" }.joined(separator: ","))]"
  }

  @Test(
    "are ids first, then ids one level down, then names that end in id, addresses and names",
    arguments: [
      (
        #""name":"n\#(0)","url":"u","user_id":1,"actor":{"id":1},"id":1"#,
        ["id", "actor.id", "user_id"]
      ),
      (#""title":"t","html_url":"h","url":"u","userId":1"#, ["userId", "url", "html_url"]),
      (#""name":"n","slug":"s","size":3,"GRID":"g","_ID":1"#, ["_ID", "slug", "name"]),
      (#""id_str":"7","uuid":"u","Id":7"#, ["Id", "uuid", "id_str"]),
      (#""\u0069d":1"#, ["id"]),
    ])
  func ranks(members: String, expected: [String]) {
    #expect(paths("[{\(members)}]") == expected)
  }

  @Test("are present in every record, as a string or a whole number")
  func present() {
    #expect(paths(#"[{"id":1,"key":"a"},{"key":"b"}]"#) == ["key"])
    #expect(paths(#"[{"id":1,"key":"a"},{"id":null,"key":"b"}]"#) == ["key"])
    #expect(paths(#"[{"id":1,"key":"a"},{"id":1.5,"key":"b"}]"#) == ["key"])
    #expect(paths(#"[{"id":1,"key":"a"},{"id":{"x":1},"key":"b"}]"#) == ["key"])
    #expect(paths(#"[{"id":1,"key":"a"},{"id":true,"key":"b"}]"#) == ["key"])
    #expect(paths(#"[{"id":1},{"id":"2"},{"id":"a"}]"#) == ["id"])
    #expect(paths(#"[{"a":{"id":1}},{"a":2}]"#) == [])
    // The last value of a repeated key counts.
    #expect(paths(#"[{"id":1},{"id":2,"id":null}]"#) == [])
    #expect(paths(#"[{"id":1},{"id":1,"id":2}]"#) == ["id"])
  }

  @Test("are unique, except for one in a hundred, and a number equals the string of its digits")
  func unique() {
    #expect(paths(#"[{"id":42,"key":1},{"id":"42","key":2}]"#) == ["key"])
    #expect(paths(array(200) { #""id":\#($0 / 2),"name":"\#($0)""# }) == ["name"])
    #expect(
      paths(array(200) { #""url":"\#($0 == 1 ? 0 : $0)","name":"\#($0)""# }) == ["name", "url"])
    // An id stays first even if it repeats.
    #expect(paths(array(200) { #""id":\#($0 == 1 ? 0 : $0),"name":"\#($0)""# }) == ["id", "name"])
  }

  @Test("are any short string, if it is unique in at least sixteen records")
  func others() {
    #expect(paths(array(16) { #""motto":"m\#($0)","size":\#($0)"# }) == ["motto"])
    #expect(paths(array(15) { #""motto":"m\#($0)","size":\#($0)"# }) == [])
    #expect(paths(array(200) { #""motto":"m\#($0 == 1 ? 0 : $0)""# }) == [])
    let long = String(repeating: "x", count: 64)
    #expect(paths(array(20) { #""motto":"\#(long)\#($0)""# }) == [])
    #expect(paths(array(20) { #""name":"\#(long)\#($0)""# }) == ["name"])
  }

  @Test("are columns of rows with a header, named by their indexes")
  func columns() {
    #expect(paths(#"[["name","id"],["a",1],["b",2]]"#) == ["1", "0"])
    #expect(paths("[\"name\",\"id\"]\n[\"a\",1]\n[\"a\",2]\n") == ["1"])
    #expect(paths("[[1,2],[3,4]]") == [])
  }

  @Test("are fields of the values of keyed records")
  func keyed() {
    #expect(paths(#"{"a":{"id":1,"n":0},"b":{"id":2,"n":0},"c":{"id":3,"n":0}}"#) == ["id"])
  }

  @Test("do not exist for records that are not objects")
  func scalars() {
    #expect(paths("[1,2,3]") == [])
    #expect(paths(#"[{"id":1},2]"#) == [])
    #expect(paths("[]") == [])
    #expect(paths("") == [])
  }

  @Test("do not trap in a document that is cut or damaged")
  func cut() {
    let document = Array(
      #"{"items":[{"id":1,"a":{"id":"x\u00e9"}},{"id":2,"a":{"id":"y"}},{"a":{},"id":"é"}]}"#.utf8)
    for end in 0...document.count {
      let head = document.span.bytes.extracting(0..<end)
      for isComplete in [true, false] {
        let found = RecordsFinder.plan(head: head, isComplete: isComplete)
        let count = KeyCandidates.paths(in: head, of: found).count
        #expect(count <= 3)
      }
    }
  }
}
