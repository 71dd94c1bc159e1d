import FeedRecord
import FeedStorage
import TestSupport
import Testing

@Suite("Golden images")
struct GoldenImagesTests {
  @Test("a golden store has the recorded images", arguments: GoldenImages.allCases)
  func images(golden: GoldenImages) throws {
    let copy = try golden.copy()
    let store = try ImageStore.open(at: copy.path)
    #expect(try GoldenImages.images(of: store) == golden.images())
    #expect(try FeedDatabase.check("images", at: copy.path).findings == [])
  }

  @Test("each image of a golden store is read unchanged", arguments: GoldenImages.allCases)
  func bytes(golden: GoldenImages) throws {
    let copy = try golden.copy()
    var options = ImageStore.Options()
    options.now = { 1_999 }
    let store = try ImageStore.open(at: copy.path, options: options)
    for image in try golden.images() {
      let bytes = try #require(try store.retrieve(image.url)).bytes
      #expect(bytes.count == image.bytes)
      #expect("\(KeyHash.hash(bytes.span.bytes))" == image.checksum)
    }
    #expect(try store.retrieve("https://example.com/removed.png") == nil)
  }

  @Test("a golden store can be changed", arguments: GoldenImages.allCases)
  func changes(golden: GoldenImages) throws {
    let copy = try golden.copy()
    let store = try ImageStore.open(at: copy.path, options: .init(byteCap: 2 << 20))
    let bytes = [UInt8](repeating: 7, count: 400_000)
    for number in 0..<5 { try store.insert(bytes.span.bytes, for: "new-\(number)") }
    #expect(try store.retrieve("new-4")?.bytes == bytes)
    try store.sweep(keeping: ["new-4"])
    #expect(try GoldenImages.images(of: store).map(\.url) == ["new-4"])
    #expect(try FeedDatabase.check("images", at: copy.path).findings == [])
  }

  @Test("the current code creates a store with the content of the last golden one")
  func remade() throws {
    let directory = try TemporaryDirectory()
    let store = try GoldenImages.make(at: directory.path)
    // The current code stores a URL with an invalid character in its escaped form.
    let images = try GoldenImages.images(of: store)
    let golden = try GoldenImages.whole.images()
    #expect(images.map(\.url) == golden.map { ImageURL.text($0.url) }.sorted())
    #expect(Set(images.map(\.checksum)) == Set(golden.map(\.checksum)))
  }
}
