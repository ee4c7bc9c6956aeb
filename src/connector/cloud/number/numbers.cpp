#include "connector/cloud/number/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "model/texts.hpp"

namespace merpati::connector::cloud {
namespace {

using model::DeviceState;
namespace reasons = model::reasons;

constexpr std::string_view held_until_name = "held_until";
constexpr Millis worth_keeping{1'000};  // What a pause must be longer than the one that is kept.
constexpr std::chrono::hours hold_max{24};

void not_needed(const Result<void>& /*stored*/) {
    // The state is reported again at the next start of the number.
}

std::string text_of(const std::optional<Bytes>& value) {
    return value ? std::string{reinterpret_cast<const char*>(value->data()), value->size()}
                 : std::string{};
}

}  // namespace

void Numbers::begin(ConnectorEvents& events, DeviceSecrets& secrets) {
    events_ = &events;
    secrets_.begin(secrets);
}

void Numbers::know(const model::Device& device) {
    auto& number = numbers_[device.number];
    if (model::DeviceIdentity::of(number.device) != model::DeviceIdentity::of(device)) {
        rooms_.on_forgotten(device.number);
        number = {};
    }
    number.device = device;
    if (!number.is_read && !number.reading) {
        read_secrets(number);
    } else if (number.is_read) {
        rooms_.on_known(number);
    }
}

void Numbers::start(const model::Device& device, std::string_view method) {
    know(device);
    auto& number = numbers_[device.number];
    number.turn = ++turns_;
    number.pairing.reset();
    number.start_method = std::string{method};
    if (number.reading) {
        number.read_again = true;
    } else {
        read_secrets(number);
    }
}

void Numbers::stop(model::PhoneNumber which) {
    auto* number = find(which);
    if (number == nullptr) {
        events_->device_state(which, DeviceState::disconnected, std::string{reasons::requested},
                              not_needed);
        return;
    }
    number->turn = ++turns_;
    number->pairing.reset();
    number->start_method.reset();
    report(*number, DeviceState::disconnected, reasons::requested);
}

void Numbers::forget(model::PhoneNumber which) {
    numbers_.erase(which);
    rooms_.on_forgotten(which);
}

Number* Numbers::find(model::PhoneNumber which) {
    const auto found = numbers_.find(which);
    return found == numbers_.end() ? nullptr : &found->second;
}

void Numbers::end(Number& number, const Verdict& verdict, const GraphError& error) {
    if (number.state == DeviceState::disconnected) {
        return;
    }
    number.turn = ++turns_;
    const auto words = words_of(error, number.token);
    const auto why = verdict.meaning == Meaning::restricts_number ? reasons::platform_restricts
                                                                  : reasons::platform_refuses;
    report(number, DeviceState::disconnected, fmt::format("{}: {}", why, words));
}

void Numbers::hold(Number& number, Millis wait) {
    const auto until = rooms_.clock.now() + std::min<Millis>(wait, hold_max);
    number.rates.hold(rooms_.clock.steady_now() + wait);
    if (until <= number.held_until + worth_keeping) {
        return;
    }
    number.held_until = until;
    const auto text = std::to_string(to_unix_millis(until));
    const auto bytes = as_bytes(text);
    secrets_.put(
        number.ref(), {{std::string{held_until_name}, Bytes{bytes.begin(), bytes.end()}}},
        [] { return true; },
        [](const Result<void>& /*stored*/) {
            // At worst the platform has to ask again after a restart.
        });
}

void Numbers::report(Number& number, DeviceState state, std::string_view reason) {
    number.state = state;
    events_->device_state(number.ref(), state, std::string{reason}, not_needed);
}

void Numbers::connect(Number& number) {
    number.pairing.reset();
    number.connected_at = rooms_.clock.now();
    report(number, DeviceState::connected, {});
}

void Numbers::read_secrets(Number& number) {
    number.reading = true;
    to_read_.push_back(number.ref());
    read_next();
}

void Numbers::read_next() {
    while (reading_ < reads_max && !to_read_.empty()) {
        const auto ref = to_read_.front();
        to_read_.pop_front();
        ++reading_;
        secrets_.get(
            ref,
            {std::string{model::CloudNumber::token_name},
             std::string{model::CloudNumber::app_secret_name}, std::string{held_until_name}},
            [] { return true; },
            [this, ref](Result<DeviceSecrets::Values> values) {
                rooms_.post([this, ref, values = std::move(values)]() mutable {
                    --reading_;
                    take_secrets(ref, std::move(values));
                    read_next();
                });
            });
    }
}

void Numbers::take_secrets(const DeviceRef& ref, Result<DeviceSecrets::Values> values) {
    auto* number = find(ref.number);
    if (number == nullptr || !ref.is(number->device)) {
        return;
    }
    number->reading = false;
    if (std::exchange(number->read_again, false)) {
        read_secrets(*number);
        return;
    }
    number->is_read = true;
    number->token = values ? text_of(values->at(0).second) : std::string{};
    number->app_secret = values ? text_of(values->at(1).second) : std::string{};
    if (values) {
        take_hold(*number, values->at(2).second);
    }
    rooms_.on_known(*number);
    go_on(*number);
}

/// Goes on with the pause that an earlier run has kept.
void Numbers::take_hold(Number& number, const std::optional<Bytes>& kept) const {
    const auto text = text_of(kept);
    std::int64_t millis = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), millis);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return;
    }
    const auto rest = from_unix_millis(millis) - rooms_.clock.now();
    if (rest > Millis{0} && rest <= hold_max) {
        number.held_until = from_unix_millis(millis);
        number.rates.hold(rooms_.clock.steady_now() + rest);
    }
}

/// Does what the last start asked for, now that the secrets are known.
void Numbers::go_on(Number& number) {
    if (!number.start_method) {
        return;
    }
    const auto method = *std::exchange(number.start_method, std::nullopt);
    if (!number.device.cloud || !is_token(number.token)) {
        report(number, DeviceState::disconnected, reasons::token_needed);
    } else if (method.empty()) {
        connect(number);
    } else {
        pair(number, method);
    }
}

}  // namespace merpati::connector::cloud
