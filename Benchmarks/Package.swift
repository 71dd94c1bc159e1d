// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "FeedCore", path: ".."),
    // Its interposers for counting allocations are left out with its default traits.
    .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.0", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "FeedBenchmarks",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "FeedCore", package: "FeedCore"),
      ],
      path: "FeedBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
