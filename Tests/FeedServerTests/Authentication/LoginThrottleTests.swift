#if Server
  @testable import FeedServer
  import NIOCore
  import Testing

  @Suite("The throttle of login attempts")
  struct LoginThrottleTests {
    private let start = ContinuousClock.now
    private let address = ClientAddress.ipv4(0x7F00_0001)
    private let other = ClientAddress.ipv4(0x7F00_0002)

    private func verdicts(
      _ throttle: LoginThrottle, _ count: Int, isRight: Bool = false, after: Duration = .zero
    ) -> [LoginThrottle.Verdict] {
      (0..<count).map { _ in
        throttle.judge(from: address, afterFailures: 0, isRight: isRight, at: start + after)
      }
    }

    @Test("accepts right credentials at once, also after some failures of their address")
    func accepted() {
      let throttle = LoginThrottle()
      let accepted = LoginThrottle.Verdict(result: .accepted, delay: .zero)
      #expect(verdicts(throttle, 1_000, isRight: true).allSatisfy { $0 == accepted })
      #expect(verdicts(throttle, 9).allSatisfy { $0.result == .wrong && $0.delay > .zero })
      #expect(verdicts(throttle, 1_000, isRight: true).allSatisfy { $0 == accepted })
    }

    @Test("delays the answers to one connection longer with each failure, up to two seconds")
    func connection() {
      let throttle = LoginThrottle()
      let delays = (0..<8).map { failures in
        throttle.judge(from: address, afterFailures: failures, isRight: false, at: start).delay
      }
      #expect(delays == [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000].map { .milliseconds($0) })
      let last = throttle.judge(from: address, afterFailures: .max, isRight: false, at: start)
      #expect(last.delay == .seconds(2))
    }

    @Test("delays right and wrong attempts alike after many failures of an address")
    func alike() {
      let throttle = LoginThrottle()
      _ = verdicts(throttle, 10)
      let right = verdicts(throttle, 1, isRight: true)
      #expect(right == [LoginThrottle.Verdict(result: .accepted, delay: .seconds(1))])
      #expect(
        verdicts(throttle, 1) == [LoginThrottle.Verdict(result: .wrong, delay: .seconds(1))])
    }

    @Test("considers at most 33 guesses of an address a second, however they are sent")
    func rate() {
      let throttle = LoginThrottle()
      _ = verdicts(throttle, 1_000)
      var considered = 0
      for step in 1...1_000 {
        considered += verdicts(throttle, 5, after: .milliseconds(10) * step)
          .count { $0.result != .tooMany }
      }
      #expect((300...332).contains(considered), "\(considered) guesses in 10 seconds")
      // A refused attempt does not reveal whether its credentials are right.
      _ = verdicts(throttle, 50, after: .seconds(10))
      let verdict = verdicts(throttle, 1, isRight: true, after: .seconds(10))
      #expect(verdict == [LoginThrottle.Verdict(result: .tooMany, delay: .seconds(1))])
    }

    @Test("does not affect other addresses, and forgets failures")
    func others() {
      let throttle = LoginThrottle()
      _ = verdicts(throttle, 1_000)
      let accepted = LoginThrottle.Verdict(result: .accepted, delay: .zero)
      #expect(
        throttle.judge(from: other, afterFailures: 0, isRight: true, at: start) == accepted)
      #expect(verdicts(throttle, 1, isRight: true, after: .milliseconds(900)) != [accepted])
      #expect(verdicts(throttle, 1, isRight: true, after: .milliseconds(1_100)) == [accepted])
      #expect(verdicts(throttle, 9, after: .seconds(20)).allSatisfy { $0.result == .wrong })
      #expect(verdicts(throttle, 1, isRight: true, after: .seconds(20)) == [accepted])
    }

    @Test("remembers an address with recent failures while many others fail")
    func bounded() {
      var limits = LoginThrottle.Limits()
      limits.addresses = 100
      let throttle = LoginThrottle(limits)
      for number in 0..<10_000 {
        // Fifty other addresses fail between two failures of this one.
        if number % 50 == 0 { _ = verdicts(throttle, 10) }
        _ = throttle.judge(
          from: .ipv4(UInt32(number)), afterFailures: 0, isRight: false, at: start)
      }
      #expect(verdicts(throttle, 1, isRight: true).first?.delay == .seconds(1))
    }

    @Test("identifies an IPv6 client by its network, and all Unix sockets as one address")
    func addresses() throws {
      func address(_ text: String) throws -> ClientAddress {
        ClientAddress(try SocketAddress(ipAddress: text, port: 1))
      }
      #expect(try address("127.0.0.1") == .ipv4(0x7F00_0001))
      #expect(try address("::ffff:127.0.0.1") == .ipv4(0x7F00_0001))
      #expect(try address("2001:db8:1:2::1") == address("2001:db8:1:2:ffff::2"))
      #expect(try address("2001:db8:1:2::1") != address("2001:db8:1:3::1"))
      #expect(try address("::1") == .ipv6(network: 0))
      #expect(ClientAddress(nil) == .local)
      #expect(ClientAddress(try SocketAddress(unixDomainSocketPath: "/a")) == .local)
    }
  }
#endif
