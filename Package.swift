// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "FeedCore",
  defaultLocalization: "en",
  // The engine needs macOS 26. The other systems are those of FeedFeature, FeedPresentation and
  // FeedStoreContract: docs/design.md, "Platforms".
  platforms: [.macOS(.v26), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FeedCore", targets: ["FeedCore"]),
    // Serves a store, with the trait Server. Without the trait it is empty.
    .library(name: "FeedServer", targets: ["FeedServer"]),
    // The domain of the five apps, their presenters and the rules of their stores, without C.
    .library(name: "FeedFeature", targets: ["FeedFeature"]),
    .library(name: "FeedPresentation", targets: ["FeedPresentation"]),
    .library(name: "FeedStoreContract", targets: ["FeedStoreContract"]),
    // A client of FeedAPI on URLSession, which brings libcurl on Linux.
    .library(name: "FeedURLSession", targets: ["FeedURLSession"]),
    // The C ABI. scripts/install makes libfeedcore.so and libfeedcore.a of it; a product called
    // feedcore would take the place of the program.
    .library(name: "FeedCoreC", type: .static, targets: ["FeedCoreC"]),
    .executable(name: "feedcore", targets: ["FeedCoreCLI"]),
  ],
  traits: [
    .trait(name: "Remote", description: "Loads feeds over HTTP with async-http-client."),
    .trait(
      name: "Server",
      description: "Serves stores over HTTP and RESP with Hummingbird and SwiftNIO.",
      enabledTraits: ["Remote"]),
    .trait(
      name: "Cluster",
      description: "Keeps stores in a Redis or Valkey Cluster, over SwiftNIO."),
    .default(enabledTraits: ["Remote", "Server", "Cluster"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CYajl", pkgConfig: "yajl", providers: [.apt(["libyajl-dev"]), .brew(["yajl"])]),
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CXXHash", pkgConfig: "libxxhash",
      providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
    .systemLibrary(
      name: "CIsal", pkgConfig: "libisal", providers: [.apt(["libisal-dev"]), .brew(["isa-l"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CFeedScan"),
    .target(name: "CFeedTools", dependencies: ["CLMDB", "CYajl"]),
    .target(name: "Threading"),
    .target(
      name: "JSONStream", dependencies: ["CFeedScan", "CIsal", "CYajl", "CZstd", "Threading"]),
    .target(name: "LMDB", dependencies: ["CLMDB", "Threading"]),
    .target(name: "FeedRecord", dependencies: ["CXXHash"]),
    .target(name: "URLEscaping"),
    .target(name: "FeedSamples"),
    .target(name: "FeedFeature", dependencies: ["Threading"]),
    .target(name: "FeedStoreContract", dependencies: ["FeedFeature"]),
    .target(
      name: "FeedPresentation", dependencies: ["FeedFeature", "URLEscaping"],
      resources: [.embedInCode("Resources")]),
    .target(
      name: "FeedSchema",
      dependencies: ["CFeedScan", "FeedRecord", "JSONStream", "Threading", "URLEscaping"]),
    .target(
      name: "FeedStorage",
      dependencies: [
        "FeedRecord", "FeedSchema", "JSONStream", "LMDB", "Threading", "URLEscaping",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "FeedAPI",
      dependencies: [
        "FeedFeature", "FeedRecord", "FeedSchema", "JSONStream", "Threading", "URLEscaping",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(
          name: "AsyncHTTPClient", package: "async-http-client",
          condition: .when(traits: ["Remote"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Remote"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Remote"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Remote"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Remote"])),
      ]),
    .target(name: "FeedURLSession", dependencies: ["FeedAPI", "Threading"]),
    .target(
      name: "FeedTools",
      dependencies: [
        "CFeedScan", "CFeedTools", "FeedFeature", "FeedRecord", "FeedSamples", "FeedSchema",
        "FeedStorage", "JSONStream", "LMDB",
      ]),
    .target(
      name: "FeedCore",
      dependencies: [
        "FeedAPI", "FeedFeature", "FeedRecord", "FeedSchema", "FeedStorage", "JSONStream", "LMDB",
        "Threading", "URLEscaping",
      ]),
    .systemLibrary(name: "CFeedCore", path: "include"),
    .target(
      name: "FeedCoreC",
      dependencies: [
        "CFeedCore", "FeedRecord", "FeedSchema", "FeedStorage", "JSONStream", "LMDB", "Threading",
      ]),
    .target(name: "RESPWire"),
    .target(
      name: "RESPClient",
      dependencies: [
        "RESPWire", "Threading",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Cluster"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Cluster"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Cluster"])),
      ]),
    // Feeds in a cluster, and their local copies. Without the trait Cluster it is empty.
    .target(
      name: "FeedCluster",
      dependencies: [
        "FeedStorage", "RESPClient", "Threading",
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Cluster"])),
      ]),
    // Files in memory, which Swift's Glibc leaves out.
    .target(name: "CMemoryFile"),
    .target(
      name: "FeedServer",
      dependencies: [
        "CMemoryFile", "FeedAPI", "FeedCore", "FeedFeature", "FeedPresentation", "FeedRecord",
        "FeedSchema", "FeedStorage", "JSONStream", "LMDB", "RESPWire", "Threading", "URLEscaping",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]
        + [
          ("Crypto", "swift-crypto"), ("Hummingbird", "hummingbird"),
          ("HTTPTypes", "swift-http-types"),
          ("Logging", "swift-log"), ("Mustache", "swift-mustache"), ("NIOCore", "swift-nio"),
          ("NIOHTTP1", "swift-nio"), ("NIOPosix", "swift-nio"),
          ("ServiceLifecycle", "swift-service-lifecycle"),
          ("UnixSignals", "swift-service-lifecycle"),
        ].map { name, package in
          .product(name: name, package: package, condition: .when(traits: ["Server"]))
        },
      // Inside the program, which is installed and copied alone.
      resources: [.embedInCode("Resources")]),
    .executableTarget(
      name: "FeedCoreCLI",
      dependencies: [
        "CFeedCore", "CLMDB", "CYajl", "FeedCore", "FeedRecord", "FeedSamples", "FeedSchema",
        "FeedStorage", "FeedTools", "JSONStream", "Threading", "URLEscaping",
        .target(name: "FeedCluster", condition: .when(traits: ["Cluster"])),
        .target(name: "FeedServer", condition: .when(traits: ["Server"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(
          name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
      ]),
    .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
    .testTarget(name: "URLEscapingTests", dependencies: ["TestSupport", "URLEscaping"]),
    .testTarget(
      name: "JSONStreamTests",
      dependencies: ["CFeedScan", "JSONStream", "TestSupport"]),
    .systemLibrary(
      name: "CZlib", path: "Tests/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "TestSupport",
      dependencies: [
        "CFeedScan", "CZlib", "CZstd", "FeedRecord", "FeedSchema", "FeedStorage", "FeedTools",
        "JSONStream", "LMDB", "RESPWire", "Threading",
      ],
      path: "Tests/TestSupport"),
    .testTarget(name: "RESPWireTests", dependencies: ["RESPWire", "TestSupport"]),
    .testTarget(
      name: "RESPClientTests", dependencies: ["LoopbackServer", "RESPClient", "TestSupport"]),
    .testTarget(
      name: "FeedClusterTests",
      dependencies: [
        "FeedCluster", "FeedCore", "FeedSchema", "FeedStorage", "FeedStoreContract", "RESPClient",
        "TestSupport", "Threading",
      ]),
    // The courses of the five documents, and the trait that assigns a test to a course.
    .target(name: "CourseSupport", path: "Tests/CourseSupport"),
    .executableTarget(
      name: "FeedCoreCourses", dependencies: ["CourseSupport"], path: "Tests/CourseTable"),
    .testTarget(
      name: "FeedFeatureTests",
      dependencies: [
        "CourseSupport", "FeedFeature", "FeedStoreContract", "TestSupport", "Threading",
      ]),
    .testTarget(
      name: "FeedPresentationTests",
      dependencies: ["CourseSupport", "FeedFeature", "FeedPresentation"]),
    .testTarget(name: "LMDBTests", dependencies: ["CLMDB", "LMDB", "TestSupport"]),
    .testTarget(
      name: "FeedRecordTests", dependencies: ["FeedRecord", "TestSupport"],
      resources: [.copy("Golden")]),
    .testTarget(
      name: "FeedSchemaTests",
      dependencies: ["FeedRecord", "FeedSchema", "JSONStream", "TestSupport"]),
    .testTarget(
      name: "FeedStorageTests",
      dependencies: [
        "FeedCore", "FeedRecord", "FeedSchema", "FeedStorage", "JSONStream", "LMDB", "TestSupport",
        "Threading",
      ],
      exclude: ["Golden"]),
    .target(
      name: "LoopbackServer",
      dependencies: [
        "RESPWire", "TestSupport", "Threading",
      ]
        + [
          ("NIOCore", "swift-nio"), ("NIOPosix", "swift-nio"), ("NIOSSL", "swift-nio-ssl"),
        ].map { name, package in
          .product(
            name: name, package: package, condition: .when(traits: ["Remote", "Cluster"]))
        },
      path: "Tests/LoopbackServer"),
    .testTarget(
      name: "FeedAPITests",
      dependencies: [
        "CourseSupport", "FeedAPI", "FeedFeature", "FeedRecord", "FeedSchema", "FeedTools",
        "FeedURLSession", "JSONStream", "LoopbackServer", "TestSupport",
      ]),
    .testTarget(name: "FeedSamplesTests", dependencies: ["FeedSamples"]),
    .testTarget(name: "FeedToolsTests", dependencies: ["FeedTools", "TestSupport"]),
    .testTarget(
      name: "FeedCoreCLITests",
      dependencies: [
        "CourseSupport", "FeedCore", "FeedCoreCLI", "FeedStorage", "LMDB", "LoopbackServer",
        "TestSupport",
      ]),
    .testTarget(
      name: "FeedCoreTests",
      dependencies: [
        "CourseSupport", "FeedCore", "FeedPresentation", "FeedStoreContract", "LoopbackServer",
        "TestSupport",
      ]),
    .testTarget(name: "CustomPayloadTests", dependencies: ["FeedCore"]),
    // What another package can do: it sees public declarations alone.
    .testTarget(
      name: "EmbeddingTests",
      dependencies: [
        "FeedCore",
        .target(name: "FeedServer", condition: .when(traits: ["Server"])),
        .product(
          name: "AsyncHTTPClient", package: "async-http-client",
          condition: .when(traits: ["Server"])),
        .product(
          name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Server"])),
      ],
      packageAccess: false),
    .testTarget(
      name: "FeedCoreCTests",
      dependencies: [
        "CFeedCore", "FeedCoreC", "FeedRecord", "FeedStorage", "LMDB", "TestSupport",
      ]),
    .testTarget(
      name: "FeedServerTests",
      dependencies: [
        "FeedCore", "FeedServer", "LoopbackServer", "RESPWire", "TestSupport",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(
          name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Server"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle",
          condition: .when(traits: ["Server"])),
      ]),
    .target(name: "CFuzzDriver", path: "Tests/FuzzDriver"),
    .executableTarget(
      name: "FeedCoreFuzz",
      dependencies: [
        "CFeedScan", "CFuzzDriver", "FeedRecord", "FeedSchema", "JSONStream", "RESPWire",
        "TestSupport",
      ],
      path: "Tests/Fuzzing"),
    .executableTarget(
      name: "FeedCoreTorture",
      dependencies: [
        "CLMDB", "FeedCore", "FeedFeature", "FeedRecord", "FeedSchema", "FeedStorage",
        "JSONStream", "LMDB", "TestSupport",
      ],
      path: "Tests/Torture"),
  ]
)

// What FeedCore re-exports is public without being a product. scripts/check-api compares products.
if Context.environment["FEEDCORE_CHECK_API"] != nil {
  package.products.append(
    .library(
      name: "FeedCoreModules",
      targets: [
        "FeedAPI", "FeedFeature", "FeedRecord", "FeedSchema", "FeedStorage", "JSONStream", "LMDB",
      ]))
}

// The core build of scripts/lib/program.sh sets this. The optimizer takes two thirds of the time in
// which these targets compile. What they do for each record is in other targets, except for tables.
if Context.environment["FEEDCORE_QUICK_BUILD"] == "1" {
  for target in package.targets where ["FeedAPI", "FeedCore", "FeedCoreCLI"].contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
  }
  // The parser begins the longest chain of targets. LMDB would take its place on two cores.
  for target in package.targets where target.name == "LMDB" {
    target.dependencies.append("FeedRecord")
  }
}

for target in package.targets where [.regular, .executable, .test].contains(target.type) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      // Views of mapped bytes are values that cannot outlive their transaction.
      .enableExperimentalFeature("Lifetimes"),
    ]
}
