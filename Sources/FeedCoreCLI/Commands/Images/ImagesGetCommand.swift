import ArgumentParser
import FeedCore
import FeedStorage
import URLEscaping

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `feedcore images get`
struct ImagesGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Write an image as it was stored, or fetch and store it first.",
    discussion: """
      An image that is not stored or has expired is fetched from its URL. If that fails, the \
      command ends with 69 or 65. With --offline, or for a URL that is not HTTP, it ends with 66.

      EXAMPLES:
        feedcore images get https://example.com/photo.png --output copy.png
        feedcore images get https://example.com/photo.png --offline >copy.png
      """)

  @Argument(help: ArgumentHelp("The URL of the image.", valueName: "url"))
  var url: String

  #if Remote
    @OptionGroup var service: HeaderOptions
  #endif

  @OptionGroup var store: ChangedStoreOptions

  @Option(
    help: ArgumentHelp(
      "The file to write, as a whole or not at all. By default standard output, unless that is a"
        + " terminal.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Do not fetch an image that is not stored.")
  var offline = false

  func validate() throws {
    try GivenURL.refuseEmpty(url)
    try GivenPath.refuseEmpty([output], "--output")
  }

  func run() throws {
    let path = output.flatMap { $0 == "-" ? nil : $0 }
    guard path != nil || !StandardStreams.isOutputTerminal else {
      throw Failure(
        .usage, "standard output is a terminal; name a file for the image with --output")
    }
    let image = try image()
    guard let path else { return try write(image, to: Output.standard()) }
    if let special = try SpecialFile(path) { return try write(image, to: special.output) }
    let file = try OutputFile(path)
    try write(image, to: file.output)
    try file.publish()
  }

  private func image() throws -> [UInt8] {
    #if Remote
      if !offline, let url = ServiceURL(argument: try store.location.imageURL(ofText: url)) {
        return try image(from: url.url)
      }
      try service.verify()
    #endif
    return try storedImage()
  }

  // A copy, so that a slow reader of the output does not keep a snapshot open.
  private func storedImage() throws -> [UInt8] {
    let images = try store.openExistingImages()
    guard let image = try images.retrieve(store.location.imageURL(ofText: url)) else {
      throw images.notFound(url)
    }
    return image.bytes
  }

  #if Remote
    private func image(from url: URL) throws -> [UInt8] {
      let client = try service.client(for: url)
      let images = try store.openImages()
      Interruption.install()
      let source = ImageSource(
        images, client: client, onFailure: { Failure(any: $0).report() })
      do {
        return Array(try AwaitedWork.result { try await source.loadImageData(from: url) }.get())
      } catch {
        if Interruption.isRequested {
          throw Failure(.interrupted, "interrupted; nothing was cached")
        }
        throw Failure(any: error)
      }
    }
  #endif

  private func write(_ image: [UInt8], to output: Output) throws(Failure) {
    let bytes = image.span.bytes
    // Written in chunks, so that the output's buffer does not become a second copy.
    for start in stride(from: 0, to: bytes.byteCount, by: 64 << 10) where output.isWritable {
      output.write(bytes.extracting(start..<min(start + (64 << 10), bytes.byteCount)))
    }
    try output.finish()
  }
}

extension ImageStore {
  func notFound(_ url: String) -> StoreError {
    StoreError(.notFound, "there is no image of \(url)", path: directory)
  }
}

extension StoreOptions {
  /// The URL under which an image is stored, or would be, for the URL in a record. A relative URL
  /// is resolved against the URL of a feed. Without such a feed it is returned unchanged.
  func imageURL(ofText text: String) throws -> String {
    guard case .relative = URLShape(of: text), let database = try openIfExists() else {
      return text
    }
    let urls = try database.imageURLs(ofText: text)
    guard urls.count > 1, let images = try imagesIfExist() else { return urls[0] }
    return try urls.first { try images.contains($0) } ?? urls[0]
  }

  private func imagesIfExist() throws(Failure) -> ImageStore? {
    do throws(Failure) {
      return try openExistingImages()
    } catch  where error.status == .noInput {
      return nil
    }
  }
}
