#include "connector/process/inbox.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "connector/process/fields.hpp"
#include "connector/process/reports.hpp"

namespace merpati::connector::process {
namespace {

constexpr std::size_t log_bytes_max = 2'048;

std::string_view kind_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return "invalid";
        case ErrorCode::not_found:
            return "not_found";
        case ErrorCode::refused:
            return "refused";
        case ErrorCode::busy:
        case ErrorCode::too_many_requests:
            return "busy";
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
    if (!report) {
        refuse(frame, report.error());
        return;
    }
    if (!rooms_.devices.is_started(report->device)) {
        say(frame, error_line(frame.id, "not_found", "the device is not started"));
        return;
    }
    const auto ticket = let_in(frame, report->device, frame.bytes);
    if (!ticket) {
        return;
    }
    rooms_.devices.follow(report->device, report->state);
    rooms_.events.device_state(report->device, report->state, std::move(report->reason),
                               when_stored(*ticket));
}

void Inbox::take_pairing(const Frame& frame) {
    auto report = read_pairing(frame.fields, rooms_.clock.now());
    if (!report) {
        refuse(frame, report.error());
        return;
    }
    if (rooms_.devices.is_started(report->device)) {
        rooms_.events.pairing(report->device, std::move(report->step));
    }
    say(frame, answer_line(frame.id, {}));
}

void Inbox::take_status(const Frame& frame) {
    auto status = read_status(frame.fields, rooms_.clock.now());
    if (!status) {
        refuse(frame, status.error());
    } else if (const auto ticket = let_in(frame, status->device, frame.bytes)) {
        rooms_.events.late_status(std::move(*status), when_stored(*ticket));
    }
}

void Inbox::take_inbound(const Frame& frame) {
    auto message = read_inbound(frame.fields, rooms_.clock.now());
    if (!message) {
        refuse(frame, message.error());
    } else if (const auto ticket = let_in(frame, message->device, frame.bytes)) {
        rooms_.events.inbound(std::move(*message), when_stored(*ticket));
    }
}

void Inbox::take_get(const Frame& frame) {
    auto read = read_secrets_read(frame.fields);
    if (!read) {
        refuse(frame, read.error());
        return;
    }
    if (const auto ticket = let_in(frame, read->device, 0)) {
        waiting_.push_back({.ticket = *ticket, .names = std::move(read->names)});
        read_waiting();
    }
}

void Inbox::take_put(const Frame& frame) {
    auto write = read_secrets_write(frame.fields);
    if (!write) {
        refuse(frame, write.error());
    } else if (const auto ticket = let_in(frame, write->device, frame.bytes)) {
        rooms_.secrets.put(write->device, std::move(write->values), write->others,
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

std::optional<Inbox::Ticket> Inbox::let_in(const Frame& frame, model::PhoneNumber device,
                                           std::size_t bytes) {
    const auto account = rooms_.devices.account_of(device);
    if (!requests_.admits(held_by(of_account_, account)) ||
        held_by(of_device_, device) >= requests_per_device_max || !has_room(account, bytes)) {
        say(frame, error_line(frame.id, "busy"));
        return std::nullopt;
    }
    requests_.acquire();
    ++of_account_[account];
    ++of_device_[device];
    hold(account, bytes);
    return Ticket{.id = frame.id, .device = device, .account = account, .bytes = bytes};
}

bool Inbox::has_room(model::AccountId account, std::size_t bytes) const {
    return bytes == 0 || bytes_.admits(held_by(bytes_of_account_, account), bytes);
}

void Inbox::hold(model::AccountId account, std::size_t bytes) {
    if (bytes == 0) {
        return;
    }
    bytes_.acquire(bytes);
    bytes_of_account_[account] += bytes;
    if (const auto worker = rooms_.worker.lock()) {
        worker->hold(bytes);
    }
}

void Inbox::read_waiting() {
    constexpr auto bytes = DeviceSecrets::get_bytes_max;
    for (auto next = waiting_.begin(); next != waiting_.end() && bytes_.free() >= bytes;) {
        if (!has_room(next->ticket.account, bytes)) {
            ++next;
            continue;
        }
        auto read = std::move(*next);
        next = waiting_.erase(next);
        hold(read.ticket.account, bytes);
        read.ticket.bytes = bytes;
        read_secrets(read.ticket, std::move(read.names));
    }
}

void Inbox::read_secrets(const Ticket& ticket, std::vector<std::string> names) {
    rooms_.secrets.get(
        ticket.device, std::move(names),
        [self = shared_from_this(), ticket](const Result<DeviceSecrets::Values>& got) {
            if (!got) {
                const bool too_large = got.error().code == ErrorCode::refused;
                self->answer_later(
                    ticket,
                    error_line(ticket.id, too_large ? "too_large" : kind_of(got.error().code)));
                return;
            }
            auto line = answer_line(ticket.id, values_answer(*got));
            self->answer_later(ticket, line.size() > line_bytes_max
                                           ? error_line(ticket.id, "too_large")
                                           : std::move(line));
        });
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

void Inbox::finish(const Ticket& ticket, const std::string& line) {
    requests_.release();
    release(of_account_, ticket.account);
    release(of_device_, ticket.device);
    bytes_.release(ticket.bytes);
    release(bytes_of_account_, ticket.account, ticket.bytes);
    if (const auto worker = rooms_.worker.lock()) {
        if (ticket.id != 0) {
            worker->answer(line);
        }
        worker->release(ticket.bytes);
    }
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
