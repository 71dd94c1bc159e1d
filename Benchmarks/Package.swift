// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    // Nothing here speaks HTTP: without the traits none of it is built.
    .package(name: "FeedCore", path: "..", traits: []),
    // Its interposers for counting allocations are left out with its default traits.
    .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    // A link to the sources of FeedSamples: what makes the payloads of `feedcore sample`.
    .target(name: "Samples", path: "Samples"),
    // Some of it is a link to the C sources of FeedTools, the peers of `feedcore bench`.
    .target(
      name: "CPeers", path: "CPeers",
      linkerSettings: [
        .linkedLibrary("lmdb"), .linkedLibrary("yajl"), .linkedLibrary("z"),
        .linkedLibrary("zstd"),
      ]),
    // Headers alone. That of simdjson is not asked for: its pkg-config file defines a macro that the
    // package manager refuses with a warning.
    .systemLibrary(
      name: "RapidJSONLibrary", path: "RapidJSONLibrary", pkgConfig: "RapidJSON",
      providers: [
        .apt(["rapidjson-dev", "libsimdjson-dev"]), .brew(["rapidjson", "simdjson"]),
      ]),
    .target(
      name: "CXXPeers", dependencies: ["RapidJSONLibrary"], path: "CXXPeers",
      linkerSettings: [.linkedLibrary("simdjson")]),
    .executableTarget(
      name: "FeedBenchmarks",
      dependencies: [
        "CPeers", "CXXPeers", "Samples",
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "FeedCore", package: "FeedCore"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "FeedBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  cxxLanguageStandard: .cxx17
)
