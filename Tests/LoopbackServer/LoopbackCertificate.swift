#if Remote || Cluster
  import NIOSSL

  extension LoopbackCertificate {
    /// The TLS context of a server with the certificate.
    static func serverContext() throws -> NIOSSLContext {
      let certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
      let key = try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem)
      return try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
    }
  }
#endif

/// A self-signed certificate of the tests, only for `127.0.0.1`. A client trusts it only if it is
/// configured to.
package enum LoopbackCertificate {
  /// The certificate, as the text of a PEM file.
  package static let pem = """
    -----BEGIN CERTIFICATE-----
    MIIBRzCB7aADAgECAgEBMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMMDkZlZWRDb3Jl
    IHRlc3RzMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAZMRcwFQYD
    VQQDDA5GZWVkQ29yZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAFK
    jumraBwh5+Ex6Pnwkit6DR1DPjzidz8Rzzv6UKGekg0HeAfVpO+Qy1f4C/C6BamA
    VC7M0eO/gdUqBA3C8RKjJDAiMA8GA1UdEQQIMAaHBH8AAAEwDwYDVR0TAQH/BAUw
    AwEB/zAKBggqhkjOPQQDAgNJADBGAiEA26h+KQm+qqkARj0r+W2ToyGHioq1B1mQ
    A90uSvRqkbECIQDRuMeM5H1XgWXKlgomtxfy8+O/+twQjeZmJTkwRnl/Tg==
    -----END CERTIFICATE-----
    """

  /// The private key. It protects nothing, because it is public here.
  package static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpeyL4BGNYu5LmH8l
    m9L7XX0Ix+3munMvmnAT3GsZCnOhRANCAAQBSo7pq2gcIefhMej58JIreg0dQz48
    4nc/Ec87+lChnpINB3gH1aTvkMtX+AvwugWpgFQuzNHjv4HVKgQNwvES
    -----END PRIVATE KEY-----
    """
}
