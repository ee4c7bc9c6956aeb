// The channels on which other nodes send their requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "http/reply.hpp"
#include "telemetry/log.hpp"

namespace merpati::forwarding {

/// Operation: each request is carried out as it arrives, however many others are, and its answer
/// sent as soon as it is there. An answer that has a source is none: it becomes 500.
///
/// Limits: `requests_max` of each channel; a request beyond is not taken (not_taken_body).
///
/// Threads: one of its own, which carries the requests out; `adopt` any, the rest the owner's.
class IncomingChannels {
public:
    /// Carries out what the text of a request's frame asks for; must not block.
    using CarryOut = std::function<void(std::string_view text, http::Responder)>;

    IncomingChannels(CarryOut carry_out, telemetry::Log log);
    ~IncomingChannels();
    IncomingChannels(const IncomingChannels&) = delete;
    IncomingChannels& operator=(const IncomingChannels&) = delete;

    /// Twice what a node sends (Forwarder::Options): callers that have hung up are still there for
    /// a moment.
    static constexpr std::size_t requests_max = 8'192;

    void adopt(FileDescriptor socket);
    /// Waits until all requests are answered, for `patience` at most.
    void drain(std::chrono::milliseconds patience);
    /// Closes all. Idempotent.
    void stop();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  // Responders may outlive this object.
};

}  // namespace merpati::forwarding
