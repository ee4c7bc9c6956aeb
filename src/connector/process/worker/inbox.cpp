#include "connector/process/worker/inbox.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "connector/process/codec/fields.hpp"
#include "connector/process/codec/reports.hpp"

namespace merpati::connector::process {
namespace {

constexpr std::size_t log_bytes_max = 2'048;
constexpr std::uint64_t generation_max = (std::uint64_t{1} << 53U) - 1;  // As an id.

std::string_view kind_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return "invalid";
        case ErrorCode::not_found:
            return "not_found";
        case ErrorCode::refused:
            return "refused";
        case ErrorCode::busy:
        case ErrorCode::unavailable:
        case ErrorCode::too_many_requests:
            return "busy";
        case ErrorCode::fenced:
        case ErrorCode::elsewhere:
        case ErrorCode::shutting_down:
            return "closing";
        case ErrorCode::conflict:
        case ErrorCode::forbidden:
        case ErrorCode::precondition_failed:
        case ErrorCode::timeout:
        case ErrorCode::unreachable:
        case ErrorCode::protocol:
        case ErrorCode::store_failed:
        case ErrorCode::damaged:
        case ErrorCode::io_failed:
            return "internal";
    }
    return "internal";
}

std::optional<telemetry::Level> level_of(std::string_view word) {
    using telemetry::Level;
    constexpr std::array<std::pair<std::string_view, Level>, 4> levels{{{"debug", Level::debug},
                                                                        {"info", Level::info},
                                                                        {"warn", Level::warn},
                                                                        {"error", Level::error}}};
    for (const auto& [name, level] : levels) {
        if (name == word) {
            return level;
        }
    }
    return std::nullopt;
}

template <class Party>
std::size_t held_by(const std::unordered_map<Party, std::size_t>& held, const Party& party) {
    const auto found = held.find(party);
    return found == held.end() ? 0 : found->second;
}

template <class Party>
void release(std::unordered_map<Party, std::size_t>& held, const Party& party,
             std::size_t count = 1) {
    if (const auto found = held.find(party); found != held.end()) {
        found->second -= std::min(count, found->second);
        if (found->second == 0) {
            held.erase(found);
        }
    }
}

}  // namespace

const Inbox::Row* Inbox::row_of(std::string_view op) {
    static constexpr std::array rows{
        Row{"device.state", &Inbox::take_state},
        Row{"device.pairing", &Inbox::take_pairing},
        Row{"message.status", &Inbox::take_status},
        Row{"message.in", &Inbox::take_inbound},
        Row{"store.get", &Inbox::take_get},
        Row{"store.put", &Inbox::take_put},
        Row{"capabilities", &Inbox::take_capabilities},
        Row{"log", &Inbox::take_log},
        Row{"ping", &Inbox::take_ping},
    };
    const auto found = std::ranges::find(rows, op, &Row::op);
    return found == rows.end() ? nullptr : &*found;
}

void Inbox::take(Frame&& frame) {
    if (const auto* row = row_of(frame.op); row != nullptr) {
        (this->*row->handle)(frame);
    } else {
        say(frame, error_line(frame.id, "unsupported"));
    }
}

void Inbox::take_state(const Frame& frame) {
    auto report = read_state(frame.fields);
    const auto about_it = about(frame, report);
    if (!about_it) {
        return;
    }
    if (!rooms_.devices.takes_states(report->device, about_it->generation)) {
        say(frame, error_line(frame.id, "not_found", "the device is not started"));
        return;
    }
    const auto ticket = let_in(frame, about_it->device, 0, Storing::nothing);
    if (!ticket) {
        return;
    }
    rooms_.devices.follow(report->device, report->state);
    if (report->state == model::DeviceState::restricted) {
        rooms_.events.device_restricted(about_it->device, report->until, std::move(report->reason),
                                        when_stored(*ticket));
        return;
    }
    rooms_.events.device_state(about_it->device, report->state, std::move(report->reason),
                               when_stored(*ticket));
}

void Inbox::take_pairing(const Frame& frame) {
    auto report = read_pairing(frame.fields, rooms_.clock.now());
    const auto about_it = about(frame, report);
    if (!about_it) {
        return;
    }
    if (rooms_.devices.takes_states(report->device, about_it->generation)) {
        rooms_.events.pairing(about_it->device, std::move(report->step));
    }
    say(frame, answer_line(frame.id, {}));
}

void Inbox::take_status(const Frame& frame) {
    auto status = read_status(frame.fields, rooms_.clock.now());
    if (const auto ticket = let_in(frame, status, Storing::its_line)) {
        status->device = ticket->device;
        rooms_.events.late_status(std::move(*status), when_stored(*ticket));
    }
}

void Inbox::take_inbound(const Frame& frame) {
    auto message = read_inbound(frame.fields, rooms_.clock.now());
    if (const auto ticket = let_in(frame, message, Storing::its_line)) {
        message->device = ticket->device;
        rooms_.events.inbound(std::move(*message), when_stored(*ticket));
    }
}

void Inbox::take_get(const Frame& frame) {
    auto read = read_secrets_read(frame.fields);
    if (const auto ticket = let_in(frame, read, Storing::nothing)) {
        waiting_.push_back(std::make_shared<WaitingRead>(*ticket, std::move(read->names)));
        read_waiting();
    }
}

void Inbox::take_put(const Frame& frame) {
    auto write = read_secrets_write(frame.fields);
    if (const auto ticket = let_in(frame, write, Storing::its_line)) {
        rooms_.secrets.put(ticket->device, std::move(write->values), write->others,
                           when_stored(*ticket));
    }
}

void Inbox::take_capabilities(const Frame& frame) {
    Fields fields{frame.fields};
    const auto* inner = fields.object_if("capabilities");
    auto capabilities = inner == nullptr ? fail(ErrorCode::invalid_argument, "capabilities")
                                         : read_capabilities(*inner);
    if (!capabilities) {
        refuse(frame, capabilities.error());
        return;
    }
    rooms_.on_capabilities(std::move(*capabilities));
    say(frame, answer_line(frame.id, {}));
}

void Inbox::take_log(const Frame& frame) {
    Fields fields{frame.fields};
    const auto level = level_of(fields.text("level", 16));
    auto text = fields.words("text", log_bytes_max);
    const auto device = fields.words("device", 15);
    if (!device.empty()) {
        text += fmt::format(" (device {})", telemetry::mask_number(device));
    }
    rooms_.lines.log(level.value_or(telemetry::Level::info), text);
    say(frame, answer_line(frame.id, {}));
}

void Inbox::take_ping(const Frame& frame) {
    say(frame, answer_line(frame.id, {}));
}

template <class Report>
std::optional<Inbox::About> Inbox::about(const Frame& frame, const Result<Report>& report) {
    if (!report) {
        refuse(frame, report.error());
        return std::nullopt;
    }
    const model::PhoneNumber device = report->device;
    Fields fields{frame.fields};
    const auto generation = fields.count_if("generation", 1, generation_max);
    if (!fields.wrong().empty() || (rooms_.generations && !generation)) {
        say(frame, error_line(frame.id, "invalid", "generation"));
        return std::nullopt;
    }
    if (generation && !rooms_.devices.is_latest(device, *generation)) {
        say(frame, error_line(frame.id, "stale", "this start of the device is over"));
        return std::nullopt;
    }
    const auto writer = rooms_.devices.writer(device);
    return About{.device = writer ? DeviceRef{*writer} : DeviceRef{device},
                 .generation = generation.value_or(0)};
}

template <class Report>
std::optional<Inbox::Ticket> Inbox::let_in(const Frame& frame, const Result<Report>& report,
                                           Storing storing) {
    const auto about_it = about(frame, report);
    return about_it ? let_in(frame, about_it->device, frame.bytes, storing) : std::nullopt;
}

std::optional<Inbox::Ticket> Inbox::let_in(const Frame& frame, const DeviceRef& device,
                                           std::size_t bytes, Storing storing) {
    const auto account = device.identity ? device.identity->account : model::AccountId{};
    if (!requests_.admits(held_by(of_account_, account)) ||
        held_by(of_device_, device.number) >= requests_per_device_max ||
        (bytes > 0 && !bytes_.admits(held_by(bytes_of_account_, account), bytes))) {
        say(frame, error_line(frame.id, "busy"));
        return std::nullopt;
    }
    if (storing == Storing::its_line) {
        if (const auto wait = budget_.take(account, device.number, frame.bytes); wait > Millis{0}) {
            say(frame, error_line(frame.id, "busy", "too much is stored", wait));
            return std::nullopt;
        }
    }
    requests_.acquire();
    ++of_account_[account];
    ++of_device_[device.number];
    if (bytes > 0) {
        bytes_.acquire(bytes);
        bytes_of_account_[account] += bytes;
        hold(bytes);
    }
    return Ticket{.id = frame.id, .device = device, .account = account, .bytes = bytes};
}

void Inbox::hold(std::size_t bytes) {
    if (const auto worker = rooms_.worker.lock()) {
        worker->hold(bytes);
    }
}

void Inbox::read_waiting() {
    for (auto next = waiting_.begin(); next != waiting_.end();) {
        const auto read = *next;
        auto& ticket = read->ticket;
        if (reads_.free() < read->bytes_max) {
            return;  // No later one overtakes it, or a long one might wait for ever.
        }
        if (!reads_.admits(held_by(reads_of_account_, ticket.account), read->bytes_max)) {
            ++next;
            continue;
        }
        next = waiting_.erase(next);
        ticket.read_bytes = read->bytes_max;
        reads_.acquire(ticket.read_bytes);
        reads_of_account_[ticket.account] += ticket.read_bytes;
        hold(ticket.read_bytes);
        read_secrets(read);
    }
}

void Inbox::read_secrets(const std::shared_ptr<WaitingRead>& read) {
    rooms_.secrets.get(read->ticket.device, read->names, read->bytes_max,
                       [self = shared_from_this(), read](Result<DeviceSecrets::Values> got) {
                           // The post fails only when the connector has stopped; then no answer is
                           // needed.
                           (void)self->rooms_.thread.post(
                               [self, read, got = std::move(got)] { self->end_read(read, got); });
                       });
}

void Inbox::end_read(const std::shared_ptr<WaitingRead>& read,
                     const Result<DeviceSecrets::Values>& got) {
    auto& ticket = read->ticket;
    const bool too_large = !got && got.error().code == ErrorCode::refused;
    if (too_large && read->bytes_max < DeviceSecrets::get_bytes_max) {
        release_read(ticket);
        read->bytes_max = DeviceSecrets::get_bytes_max;
        waiting_.push_front(read);
        read_waiting();
        return;
    }
    auto line = got ? answer_line(ticket.id, values_answer(*got))
                    : error_line(ticket.id, too_large ? "too_large" : kind_of(got.error().code));
    finish(ticket, line.size() > line_bytes_max ? error_line(ticket.id, "too_large") : line);
}

void Inbox::release_read(Ticket& ticket) {
    reads_.release(ticket.read_bytes);
    release(reads_of_account_, ticket.account, ticket.read_bytes);
    if (const auto worker = rooms_.worker.lock()) {
        worker->release(std::exchange(ticket.read_bytes, 0));
    }
}

ConnectorEvents::Stored Inbox::when_stored(Ticket ticket) {
    return [self = shared_from_this(), ticket](const Result<void>& stored) {
        self->answer_later(ticket, stored ? answer_line(ticket.id, {})
                                          : error_line(ticket.id, kind_of(stored.error().code)));
    };
}

void Inbox::answer_later(const Ticket& ticket, std::string line) {
    // The post fails only when the connector has stopped; then no answer is needed.
    (void)rooms_.thread.post([self = shared_from_this(), ticket, line = std::move(line)] {
        self->finish(ticket, line);
    });
}

void Inbox::finish(Ticket ticket, const std::string& line) {
    requests_.release();
    release(of_account_, ticket.account);
    release(of_device_, ticket.device.number);
    bytes_.release(ticket.bytes);
    release(bytes_of_account_, ticket.account, ticket.bytes);
    if (const auto worker = rooms_.worker.lock()) {
        if (ticket.id != 0) {
            worker->answer(line);
        }
        worker->release(ticket.bytes);
    }
    release_read(ticket);
    read_waiting();
}

void Inbox::refuse(const Frame& frame, const Error& error) {
    say(frame, error_line(frame.id, kind_of(error.code), error.detail));
}

void Inbox::say(const Frame& frame, const std::string& line) {
    if (frame.kind == Frame::Kind::request) {
        if (const auto worker = rooms_.worker.lock()) {
            worker->answer(line);
        }
    }
}

}  // namespace merpati::connector::process
