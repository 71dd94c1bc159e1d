#if Remote
  import FeedAPI
  import FeedFeature
  import Foundation
  import JSONStream
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite("A compressed response")
  struct ContentCodingTests {
    enum Packing: String, CaseIterable {
      case gzip
      case zlib
      case raw
      case twoMembers

      var coding: String { self == .gzip || self == .twoMembers ? "gzip" : "deflate" }

      func pack(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        let half = bytes.count / 2
        return switch self {
        case .gzip: try Packed.gzip(bytes)
        case .zlib: try Packed.zlib(bytes)
        // Without the header and the checksum (RFC 1950, section 2.2).
        case .raw: Array(try Packed.zlib(bytes).dropFirst(2).dropLast(4))
        case .twoMembers:
          try Packed.gzip(Array(bytes[..<half])) + Packed.gzip(Array(bytes[half...]))
        }
      }
    }

    @Test(
      "is decompressed from chunks of any size",
      arguments: Packing.allCases, [1, 5, 100_000])
    func read(packing: Packing, pieceBytes: Int) async throws {
      let packed = try packing.pack(Payloads.universities)
      let steps = stride(from: 0, to: packed.count, by: pieceBytes).map { start in
        ServedResponse.Step.bytes(Array(packed[start..<min(start + pieceBytes, packed.count)]))
      }
      try await withServer { _ in
        ServedResponse(
          fields: [("Content-Encoding", packing.coding)], framing: .chunked, steps: steps)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        let universities = try await loader.load()
        #expect(universities == Payloads.universityModels)
        #expect(server.requests.first?.fields["accept-encoding"] == "gzip, deflate")
      }
    }

    @Test("is invalid data if it is cut off", arguments: Packing.allCases)
    func cutOff(packing: Packing) async throws {
      let packed = Array(try packing.pack(Payloads.universities).dropLast(3))
      guard case .payload(let fault)? = try await cause(packed, packing.coding) else {
        Issue.record("expected the fault of a payload")
        return
      }
      // Raw deflate data may contain the whole text even without its last three bytes.
      #expect(fault.kind == .compression)
      #expect(fault.byteOffset <= packed.count)
    }

    @Test(
      "is invalid data if its checksum is wrong or other bytes follow",
      arguments: [Packing.gzip, .zlib], [false, true])
    func damaged(packing: Packing, hasMore: Bool) async throws {
      var packed = try packing.pack(Payloads.universities)
      if hasMore {
        packed += [UInt8](repeating: 7, count: 100)
      } else {
        // The last byte of gzip's checksum, and of zlib's.
        packed[packed.count - (packing == .gzip ? 5 : 1)] ^= 1
      }
      guard case .payload(let fault)? = try await cause(packed, packing.coding) else {
        Issue.record("expected the fault of a payload")
        return
      }
      #expect(fault.kind == .compression)
    }

    @Test("is invalid data if it has a content coding that was not requested")
    func unknown() async throws {
      #expect(try await cause([1, 2, 3], "br") == .contentCoding("br"))
      #expect(try await cause([1, 2, 3], "gzip, deflate") == .contentCoding("gzip, deflate"))
    }

    @Test("is refused at the limit of its content, long before a whole bomb is inflated")
    func bomb() async throws {
      // A gibibyte of spaces in a million bytes.
      let bomb = try Packed.bomb("[", end: "]", isGzip: true)
      let limits = BodyLimits(receivedBytes: 64 << 20, contentBytes: 1 << 20)
      #expect(try await cause(bomb, "gzip", limits) == .tooLarge(limit: 1 << 20))
    }

    @Test("is also refused at the limit of received bytes")
    func receivedLimit() async throws {
      let packed = try Packed.gzip(Array(Payloads.universities.utf8))
      let limits = BodyLimits(receivedBytes: packed.count - 1, contentBytes: 1 << 20)
      #expect(try await cause(packed, "gzip", limits) == .tooLarge(limit: packed.count - 1))
    }

    @Test(
      "is read as a feed if its content is an undeclared gzip file",
      arguments: [nil, "gzip"], [1, 5, 100_000])
    func file(coding: String?, pieceBytes: Int) async throws {
      var packed = try Packed.gzip(Array(Payloads.universities.utf8))
      if coding != nil { packed = try Packed.gzip(packed) }
      let steps = stride(from: 0, to: packed.count, by: pieceBytes).map { start in
        ServedResponse.Step.bytes(Array(packed[start..<min(start + pieceBytes, packed.count)]))
      }
      try await withServer { _ in
        ServedResponse(
          fields: coding.map { [("Content-Encoding", $0)] } ?? [], framing: .chunked, steps: steps)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(url: server.url, client: client)
        let universities = try await loader.load()
        #expect(universities == Payloads.universityModels)
      }
    }

    @Test("is read as a feed if it is compressed by zstd, as a file or as a content coding")
    func zstd() async throws {
      let packed = try Packed.zstd(Array(Payloads.universities.utf8))
      for (fields, bytes) in [
        ([], packed), ([("Content-Encoding", "zstd")], packed),
        ([("Content-Encoding", "gzip")], try Packed.gzip(packed)),
      ] as [([(String, String)], [UInt8])] {
        for pieceBytes in [1, 3, 100_000] {
          let steps = stride(from: 0, to: bytes.count, by: pieceBytes).map { start in
            ServedResponse.Step.bytes(Array(bytes[start..<min(start + pieceBytes, bytes.count)]))
          }
          try await withServer { _ in
            ServedResponse(fields: fields, framing: .chunked, steps: steps)
          } _: { server, client in
            let loader = RemoteFeedLoader<University>(url: server.url, client: client)
            let universities = try await loader.load()
            #expect(universities == Payloads.universityModels)
          }
        }
      }
      guard case .payload(let fault)? = try await cause(Array(packed.dropLast(3)), nil) else {
        Issue.record("expected the fault of a payload")
        return
      }
      #expect(fault.kind == .compression)
    }

    @Test(
      "is refused with the name of an unsupported compression",
      arguments: [
        ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0]), ("bzip2", [0x42, 0x5A, 0x68, 0x39, 0x31]),
        ("zip", [0x50, 0x4B, 0x03, 0x04, 0x14]), ("lz4", [0x04, 0x22, 0x4D, 0x18, 0x64]),
      ] as [(String, [UInt8])])
    func foreign(name: String, start: [UInt8]) async throws {
      guard case .payload(let fault)? = try await cause(start, nil) else {
        Issue.record("expected the fault of a payload")
        return
      }
      #expect(fault.kind == .compression)
      #expect(fault.reason.hasPrefix("is compressed by \(name), which is not read here"))
    }

    @Test("is delivered unchanged if it is a compressed image file")
    func packedImage() async throws {
      let packed = try Packed.gzip(Array("<svg/>".utf8))
      try await withServer { _ in
        ServedResponse(steps: [.bytes(packed)])
      } _: { server, client in
        let data = try await RemoteFeedImageDataLoader(client: client)
          .loadImageData(from: server.url)
        #expect(data == Data(packed))
      }
    }

    @Test("is also refused at the limit of its content as a file, even if compressed twice")
    func fileBomb() async throws {
      let bomb = try Packed.bomb("[", end: "]", isGzip: true)
      let limits = BodyLimits(receivedBytes: 64 << 20, contentBytes: 1 << 20)
      #expect(try await cause(bomb, nil, limits) == .tooLarge(limit: 1 << 20))
      #expect(try await cause(Packed.gzip(bomb), "gzip", limits) == .tooLarge(limit: 1 << 20))
      // The limit applies to the decoded content before it is detected as a file.
      let padded = try Packed.gzip(
        Packed.gzip([0x5B, 0x5D]) + [UInt8](repeating: 0, count: 2 << 20))
      #expect(try await cause(padded, "gzip", limits) == .tooLarge(limit: 1 << 20))
    }

    @Test("is invalid data if it is a file that is cut off or compressed twice")
    func damagedFile() async throws {
      let packed = try Packed.gzip(Array(Payloads.universities.utf8))
      for bytes in [Array(packed.dropLast(3)), Array(packed.prefix(2))] {
        guard case .payload(let fault)? = try await cause(bytes, nil) else {
          Issue.record("expected the fault of a payload")
          return
        }
        #expect(fault.kind == .compression)
      }
      for bytes in [Array(packed.prefix(1)), try Packed.gzip(packed)] {
        guard case .payload(let fault)? = try await cause(bytes, nil) else {
          Issue.record("expected the fault of a payload")
          return
        }
        #expect(fault.kind != .compression)
      }
    }

    private func cause(
      _ packed: [UInt8], _ coding: String?, _ limits: BodyLimits = .array
    ) async throws -> RemoteError.Cause? {
      var cause: RemoteError.Cause?
      try await withServer { _ in
        ServedResponse(
          fields: coding.map { [("Content-Encoding", $0)] } ?? [], framing: .chunked,
          steps: [.bytes(packed)])
      } _: { server, client in
        let resource = RemoteResource(server.url, client: client, limits: limits)
        let error = await remoteError {
          _ = try await RemoteFeedLoader<University>(resource).load()
        }
        #expect(error?.kind == .invalidData)
        cause = error?.cause
      }
      return cause
    }
  }

  @Suite("A response that is too long")
  struct BodyLimitTests {
    @Test("is refused by its Content-Length, before its body is read")
    func declared() async throws {
      let gate = Gate()
      try await withServer { _ in
        ServedResponse(framing: .length(1 << 40), steps: [.wait(gate)])
      } _: { server, client in
        let error = await remoteError {
          let limits = BodyLimits(bytes: 1 << 20)
          _ = try await RemoteFeedImageDataLoader(client: client, limits: limits)
            .loadImageData(from: server.url)
        }
        #expect(error?.cause == .tooLarge(limit: 1 << 20))
        #expect(error?.kind == .invalidData)
      }
    }

    @Test("is refused when it exceeds the limit, if it has no Content-Length")
    func undeclared() async throws {
      let piece = [UInt8](repeating: 0, count: 1 << 16)
      try await withServer { _ in
        ServedResponse(framing: .chunked, steps: [.repeated(piece, times: 1 << 40)])
      } _: { server, client in
        let error = await remoteError {
          let limits = BodyLimits(bytes: 1 << 20)
          _ = try await RemoteFeedImageDataLoader(client: client, limits: limits)
            .loadImageData(from: server.url)
        }
        #expect(error?.cause == .tooLarge(limit: 1 << 20))
      }
    }

    @Test("a response of exactly the limit is accepted")
    func exact() async throws {
      try await withServer { _ in
        ServedResponse(framing: .chunked, steps: [.bytes([1, 2, 3])])
      } _: { server, client in
        let loader = RemoteFeedImageDataLoader(client: client, limits: BodyLimits(bytes: 3))
        let data = try await loader.loadImageData(from: server.url)
        #expect(data == Data([1, 2, 3]))
      }
    }
  }
#endif
