// Answers one worker's requests to the gateway.
#pragma once

#include <cstddef>
#include <cstdint>
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
#include "connector/process/codec/frame.hpp"
#include "connector/process/program/output_log.hpp"
#include "connector/process/worker/worker.hpp"
#include "connector/process/worker/worker_devices.hpp"
#include "connector/write_budget.hpp"
#include "outbound/event_thread.hpp"

namespace merpati::connector::process {

/// Operation: passes the worker's reports to the gateway, and secrets to and from the store.
/// Answers a report or a write when it is durable. What the worker says and stores for a device
/// must carry the generation of its latest start (WorkerDevices); an earlier one is answered
/// `stale`. Workers that know no generations need none.
///
/// Threads: the event thread. Results that come on other threads are posted to it.
///
/// Limits: requests_max requests in flight, report_bytes_max bytes of their lines, read_bytes_max
/// bytes of secrets that are being read. An account may hold at most as much as is still free
/// (SharedLimit), a device at most requests_per_device_max requests, so an account that floods does
/// not block others. What is stored is limited by its bytes a second too (WriteBudget). A request
/// above a limit is answered busy. States, which are short and of which the last must arrive, need
/// no bytes.
///
/// A read of secrets waits until there is room for its answer: at first for a short one, and if the
/// values are longer, for the longest. So many short reads, as after a restart, run at once, and
/// the memory that all of them take is known before they begin.
class Inbox : public std::enable_shared_from_this<Inbox> {
public:
    static constexpr std::size_t report_bytes_max = Worker::held_bytes_max / 2;
    static constexpr std::size_t read_bytes_max = Worker::held_bytes_max / 2;
    static constexpr std::size_t short_read_bytes = 64 << 10;

    struct Rooms {
        const Clock& clock;
        outbound::EventThread& thread;
        ConnectorEvents& events;
        DeviceSecrets& secrets;
        WorkerDevices& devices;
        LineLimit& lines;
        bool generations = false;  // Whether the worker knows them.
        std::weak_ptr<Worker> worker;
        std::function<void(Capabilities&&)> on_capabilities;
    };
    explicit Inbox(Rooms rooms) : rooms_(std::move(rooms)) {}

    void take(Frame&& frame);

private:
    /// One admitted request or notice, and what it holds of the limits.
    struct Ticket {
        std::uint64_t id = 0;  // 0: a notice, which gets no answer.
        DeviceRef device;
        model::AccountId account;
        std::size_t bytes = 0;       // Of report_bytes_max.
        std::size_t read_bytes = 0;  // Of read_bytes_max.
    };
    enum class Storing : std::uint8_t { nothing, its_line };

    /// A read of secrets that waits until the account's share has room for the answer.
    struct WaitingRead {
        Ticket ticket;
        std::vector<std::string> names;
        std::size_t bytes_max = short_read_bytes;
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

    /// The device that a line is about, and the generation that it carries.
    struct About {
        DeviceRef device;
        std::uint64_t generation = 0;  // 0: none; the worker knows none.
    };
    /// Empty: the report cannot be read, or its generation is missing or not the latest, and the
    /// request was answered so.
    template <class Report>
    [[nodiscard]] std::optional<About> about(const Frame& frame, const Result<Report>& report);

    /// Admits the request of a report, with the bytes of its line. Empty: it was answered why not.
    template <class Report>
    [[nodiscard]] std::optional<Ticket> let_in(const Frame& frame, const Result<Report>& report,
                                               Storing storing);
    /// Empty: a limit is reached, and the request was answered busy.
    [[nodiscard]] std::optional<Ticket> let_in(const Frame& frame, const DeviceRef& device,
                                               std::size_t bytes, Storing storing);
    void hold(std::size_t bytes);
    void read_secrets(const std::shared_ptr<WaitingRead>& read);
    /// Starts waiting reads, oldest first. Reads of an account without room are skipped.
    void read_waiting();
    void end_read(const std::shared_ptr<WaitingRead>& read,
                  const Result<DeviceSecrets::Values>& got);
    void release_read(Ticket& ticket);
    /// A function that answers the request; it may be called on any thread.
    [[nodiscard]] ConnectorEvents::Stored when_stored(Ticket ticket);
    void answer_later(const Ticket& ticket, std::string line);
    void finish(Ticket ticket, const std::string& line);
    void refuse(const Frame& frame, const Error& error);
    void say(const Frame& frame, const std::string& line);

    const Rooms rooms_;
    SharedLimit requests_{requests_max};
    std::unordered_map<model::PhoneNumber, std::size_t> of_device_;
    std::unordered_map<model::AccountId, std::size_t> of_account_;
    SharedLimit bytes_{report_bytes_max};
    std::unordered_map<model::AccountId, std::size_t> bytes_of_account_;
    SharedLimit reads_{read_bytes_max};
    std::unordered_map<model::AccountId, std::size_t> reads_of_account_;
    std::list<std::shared_ptr<WaitingRead>> waiting_;
    WriteBudget budget_{rooms_.clock};
};

}  // namespace merpati::connector::process
