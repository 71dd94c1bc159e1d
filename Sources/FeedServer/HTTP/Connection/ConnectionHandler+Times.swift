#if Server
  import HTTPTypes
  import NIOCore

  // The times that a client may take, and what is held for it meanwhile.
  extension ConnectionHandler {
    func tick(_ context: ChannelHandlerContext) {
      let now = NIODeadline.now()
      switch phase {
      case .idle:
        if let headSince, now - headSince > limits.patience {
          refuse(
            Problem(
              .requestTimeout, "the head of the request did not come in time",
              refusal: .slowRequest), context)
        } else if now - idleSince > (server.isStopping ? limits.lingering : limits.idle) {
          close(context, lingers: false)
        }
      case .answering(let exchange):
        let patience = isInputClosed ? limits.parting : limits.patience
        if !exchange.hasHead, now - exchange.began > patience {
          refuse(
            Problem(.serviceUnavailable, "the answer was not ready in time", refusal: .deadline),
            context)
        }
      case .closing(let since):
        if now - since > limits.lingering, unsentBytes(context) == 0 {
          return end(context)
        }
      }
      dropSlowReader(now, context)
    }

    /// Closes a connection of which the client has taken nothing for too long.
    private func dropSlowReader(_ now: NIODeadline, _ context: ChannelHandlerContext) {
      let unsent = unsentBytes(context)
      let taken = (meter?.writtenBytes ?? 0) - unsent
      guard unsent > 0, taken == progress.taken else {
        progress = (taken, now)
        return
      }
      if now - progress.at > limits.patience { cutOff(context) }
    }

    /// Ends with a client that takes nothing.
    func cutOff(_ context: ChannelHandlerContext) {
      server.metrics.count(refusal: .slowReader, of: .http)
      end(context)
    }

    /// Nothing is held for the client any more, which has taken enough or is gone.
    func release(_ context: ChannelHandlerContext) {
      if isHeld { held.release(context.channel) }
      isHeld = false
      guard let room else { return }
      if !context.channel.isActive {
        room.fail(ChannelError.eof)
      } else if case .answering = phase {
        room.succeed()
      } else {
        return
      }
      self.room = nil
    }

    /// Whether the client can be sent more of the answer under way.
    func hasRoom(on channel: any Channel) -> Bool {
      if case .answering = phase { channel.isWritable } else { false }
    }

    /// When the client can be sent more of the answer under way; where that was given up, an error
    /// as soon as the connection has ended.
    func room(on channel: any Channel) -> EventLoopFuture<Void> {
      guard channel.isActive, room == nil else {
        return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
      }
      if hasRoom(on: channel) { return channel.eventLoop.makeSucceededVoidFuture() }
      let room = channel.eventLoop.makePromise(of: Void.self)
      self.room = room
      return room.futureResult
    }

    func unsentBytes(_ context: ChannelHandlerContext) -> Int {
      (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
  }
#endif
