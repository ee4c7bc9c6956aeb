// Answers one worker's requests to the gateway.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/shared_limit.hpp"
#include "connector/connector.hpp"
#include "connector/process/devices.hpp"
#include "connector/process/frame.hpp"
#include "connector/process/output_log.hpp"
#include "connector/process/worker.hpp"
#include "outbound/event_thread.hpp"

namespace merpati::connector::process {

/// Operation: passes the worker's reports to the gateway, and secrets to and from the store.
/// Answers a report or a write when it is durable.
///
/// Threads: the event thread. Results that come on other threads are posted to it.
///
/// Limits: requests_max requests and Worker::held_bytes_max bytes in flight. An account may hold at
/// most as much as is still free (SharedLimit), a device at most requests_per_device_max requests,
/// so an account that floods does not block others. A request above a limit is answered busy.
/// Reading secrets reserves the bytes of the largest answer; while they are not free it waits.
class Inbox : public std::enable_shared_from_this<Inbox> {
public:
    struct Rooms {
        const Clock& clock;
        outbound::EventThread& thread;
        ConnectorEvents& events;
        DeviceSecrets& secrets;
        Devices& devices;
        LineLimit& lines;
        std::weak_ptr<Worker> worker;
        std::function<void(Capabilities&&)> on_capabilities;
    };
    explicit Inbox(Rooms rooms) : rooms_(std::move(rooms)) {}

    void take(Frame&& frame);

private:
    /// One admitted request or notice, and what it holds of the limits.
    struct Ticket {
        std::uint64_t id = 0;  // 0: a notice, which gets no answer.
        model::PhoneNumber device;
        model::AccountId account;
        std::size_t bytes = 0;
    };

    /// A read of secrets that waits until the account's share has room for the answer.
    struct WaitingRead {
        Ticket ticket;
        std::vector<std::string> names;
    };

    using Handler = void (Inbox::*)(const Frame& frame);
    struct Row {
        std::string_view op;
        Handler handle;
    };
    [[nodiscard]] static const Row* row_of(std::string_view op);

    void take_state(const Frame& frame);
    void take_pairing(const Frame& frame);
    void take_status(const Frame& frame);
    void take_inbound(const Frame& frame);
    void take_get(const Frame& frame);
    void take_put(const Frame& frame);
    void take_capabilities(const Frame& frame);
    void take_log(const Frame& frame);
    void take_ping(const Frame& frame);

    /// Admits a request. Empty: a limit is reached, and the request was answered busy.
    [[nodiscard]] std::optional<Ticket> let_in(const Frame& frame, model::PhoneNumber device,
                                               std::size_t bytes);
    [[nodiscard]] bool has_room(model::AccountId account, std::size_t bytes) const;
    void hold(model::AccountId account, std::size_t bytes);
    void read_secrets(const Ticket& ticket, std::vector<std::string> names);
    /// Starts waiting reads, oldest first. Reads of an account without room are skipped.
    void read_waiting();
    /// A function that answers the request; it may be called on any thread.
    [[nodiscard]] ConnectorEvents::Stored when_stored(Ticket ticket);
    void answer_later(const Ticket& ticket, std::string line);
    void finish(const Ticket& ticket, const std::string& line);
    void refuse(const Frame& frame, const Error& error);
    void say(const Frame& frame, const std::string& line);

    const Rooms rooms_;
    SharedLimit requests_{requests_max};
    std::unordered_map<model::PhoneNumber, std::size_t> of_device_;
    std::unordered_map<model::AccountId, std::size_t> of_account_;
    SharedLimit bytes_{Worker::held_bytes_max};
    std::unordered_map<model::AccountId, std::size_t> bytes_of_account_;
    std::list<WaitingRead> waiting_;
};

}  // namespace merpati::connector::process
