// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "countries",
  platforms: [.macOS(.v26)],
  dependencies: [
    // Only parser and store: no HTTP client, no server.
    .package(name: "FeedCore", path: "../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "countries", dependencies: [.product(name: "FeedCore", package: "FeedCore")])
  ]
)
