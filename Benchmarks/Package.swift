// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    // The benchmarks do not use HTTP. Without the traits it is not built.
    .package(name: "FeedCore", path: "..", traits: []),
    // Without its default traits it has no interposers that count allocations.
    .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    // A link to the sources of FeedSamples, which makes the payloads of `feedcore sample`.
    .target(name: "Samples", path: "Samples"),
    // Some files are links to the C sources of CFeedTools, the peers of `feedcore bench`.
    .target(
      name: "CPeers", path: "CPeers",
      linkerSettings: [
        .linkedLibrary("lmdb"), .linkedLibrary("yajl"), .linkedLibrary("z"),
        .linkedLibrary("zstd"),
      ]),
    // Only headers. simdjson is not listed, because SwiftPM warns about a macro in its pkg-config
    // file and refuses it.
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
