#if Remote
  import ArgumentParser
  import FeedCore
  import JSONStream

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `feedcore comments`
  struct CommentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "comments",
      abstract: "Load the comments on an image from their service, and print them.",
      discussion: """
        Any status from 200 to 299 is accepted. This command never caches comments: without their \
        service it ends with 69, and with 65 if they are invalid. To keep them for the time without \
        a service, load them as a feed: load comments-ID --kind comments --url URL.

        EXAMPLES:
          feedcore comments --url https://example.com/comments.json
          feedcore comments --url https://example.com/comments.json --json | jq length
          # Cached:
          feedcore load comments --url https://example.com/comments.json
        """)

    @Option(help: ArgumentHelp("The URL of the comments.", valueName: "url"))
    var url: ServiceURL

    @OptionGroup var service: HeaderOptions

    @Flag(help: "Print a JSON array with an object for each comment.")
    var json = false

    func run() throws {
      let url = url.url
      let client = try service.client(for: url)
      Interruption.install()
      let result = AwaitedWork.result {
        try await RemoteFeedLoader<ImageComment>(
          url: url, client: client, statuses: .successful
        ).load()
      }
      let comments: [ImageComment]
      switch result {
      case .success(let loaded): comments = loaded
      case .failure(let error):
        throw Interruption.isRequested ? .interrupted : Failure(any: error)
      }
      let output = Output.standard()
      if json {
        output.write(JSONLine.array(comments.map { JSONLine($0) }))
      } else if !comments.isEmpty {
        printTable(comments, to: output)
      }
      try output.finish()
    }

    private func printTable(_ comments: [ImageComment], to output: Output) {
      let now = Date()
      let table = TextTable(
        [("age", .right), ("username", .left), ("message", .left)],
        columns: StandardStreams.columns, output: output)
      for comment in comments {
        table.add([
          ReadableAge.text(seconds: now.timeIntervalSince(comment.createdAt)), comment.username,
          comment.message,
        ])
      }
      table.finish()
    }
  }
#endif
