// What one worker asks of the gateway, answered.
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

/// Operation: passes reports on to the gateway, and secrets to and from its store; answers once
/// they are durable.
///
/// Threads: the event thread; answers come on any and are given to it.
///
/// Limits: requests_max and Worker::held_bytes_max in all, of which the devices of one account hold
/// no more than is left free, and each device requests_per_device_max; so no account that floods
/// keeps out another one. What does not fit is answered busy; reading secrets, whose bytes are
/// those of the answer, waits instead.
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
    /// One request that will be answered; of a notice it does nothing.
    struct Ticket {
        std::uint64_t id = 0;
        model::PhoneNumber device;
        model::AccountId account;
        std::size_t bytes = 0;
    };

    /// Secrets that are read when the account's share has room for the answer.
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

    /// Empty: too many wait, or too much; that was answered.
    [[nodiscard]] std::optional<Ticket> let_in(const Frame& frame, model::PhoneNumber device,
                                               std::size_t bytes);
    [[nodiscard]] bool has_room(model::AccountId account, std::size_t bytes) const;
    void hold(model::AccountId account, std::size_t bytes);
    void read_secrets(const Ticket& ticket, std::vector<std::string> names);
    /// The oldest first; an account without room lets the others pass.
    void read_waiting();
    /// Answers when the report is durable; from any thread.
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
