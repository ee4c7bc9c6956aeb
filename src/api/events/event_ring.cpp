#include "api/events/event_ring.hpp"

#include <charconv>

#include <fmt/format.h>

namespace merpati::api {

model::Scope scope_of(std::string_view event) noexcept {
    if (event == "device.qr") {
        return model::Scope::devices_manage;
    }
    if (event.starts_with("campaign.")) {
        return model::Scope::campaigns_read;
    }
    const bool of_account = event.starts_with("device.") || event.starts_with("account.");
    return of_account ? model::Scope::account_read : model::Scope::messages_read;
}

void EventRing::add(std::string_view name, std::string_view data) {
    ++last_;
    events_.push_back(
        {.text = fmt::format("id: {}-{}\nevent: {}\ndata: {}\n\n", epoch_, last_, name, data),
         .needs = scope_of(name)});
    bytes_ += events_.back().text.size();
    while (events_.size() > events_max || bytes_ > bytes_max) {
        bytes_ -= events_.front().text.size();
        events_.pop_front();
    }
}

void EventRing::lose() {
    ++last_;
    events_.clear();
    bytes_ = 0;
}

std::string EventRing::id_of(std::uint64_t number) const {
    return fmt::format("{}-{}", epoch_, number);
}

std::optional<std::uint64_t> EventRing::number_of(std::string_view id) const {
    const auto dash = id.find('-');
    if (dash == std::string_view::npos || id.substr(0, dash) != epoch_) {
        return std::nullopt;
    }
    const auto digits = id.substr(dash + 1);
    std::uint64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = read.ec == std::errc{} && read.ptr == digits.data() + digits.size() &&
                       (number == 0 ? digits == "0" : digits.front() != '0');
    return whole && number <= last_ ? std::optional{number} : std::nullopt;
}

bool EventRing::reaches(std::uint64_t number) const noexcept {
    return number + events_.size() >= last_;
}

std::string EventRing::after(std::uint64_t& number, std::size_t most, model::Scopes scopes) const {
    std::string text;
    const auto first = last_ - events_.size() + 1;
    while (number < last_ && text.size() < most) {
        ++number;
        const auto& event = events_[static_cast<std::size_t>(number - first)];
        text += scopes.has(event.needs) ? std::string_view{event.text} : std::string_view{};
    }
    return text;
}

std::string EventRing::resync() const {
    return fmt::format("id: {}\nevent: resync\ndata: {{}}\n\n", id_of(last_));
}

}  // namespace merpati::api
