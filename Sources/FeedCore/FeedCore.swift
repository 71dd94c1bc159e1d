/// FeedCore: payloads of feeds from JSON to a store that many processes read at once.
///
/// This is the one module that a Swift program imports. It exports the models (`FeedFeature`),
/// their mapping and the loaders of services (`FeedAPI`), and the payload contracts (`FeedSchema`).
/// It also exports the store (`FeedStorage`), the record views that a scan borrows (`FeedRecord`),
/// and the errors and limits of JSON input (`JSONStream`).
@_exported public import FeedAPI
@_exported public import FeedFeature
@_exported public import FeedRecord
@_exported public import FeedSchema
@_exported public import FeedStorage
@_exported public import JSONStream

@_exported public import enum LMDB.Durability
@_exported public import enum LMDB.Sharing
