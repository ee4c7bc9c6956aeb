#include "model/account.hpp"

#include <charconv>

#include <fmt/format.h>

namespace merpati::model {
namespace {

constexpr std::uint32_t rate_count_max = 1'000'000;  // A token bucket's share stays above 0 ns.

}  // namespace

std::string_view to_string(Plan plan) noexcept {
    switch (plan) {
        case Plan::paid:
            return "paid";
        case Plan::trial:
            return "trial";
        case Plan::free:
            return "free";
    }
    return "unknown";
}

std::optional<Plan> parse_plan(std::string_view word) noexcept {
    for (const auto plan : {Plan::paid, Plan::trial, Plan::free}) {
        if (word == to_string(plan)) {
            return plan;
        }
    }
    return std::nullopt;
}

std::string_view to_string(Delivery delivery) noexcept {
    switch (delivery) {
        case Delivery::at_least_once:
            return "at-least-once";
        case Delivery::at_most_once:
            return "at-most-once";
    }
    return "unknown";
}

std::optional<Delivery> parse_delivery(std::string_view word) noexcept {
    for (const auto delivery : {Delivery::at_least_once, Delivery::at_most_once}) {
        if (word == to_string(delivery)) {
            return delivery;
        }
    }
    return std::nullopt;
}

std::optional<CallbackBatch> CallbackBatch::parse(std::string_view text) noexcept {
    const auto number = [&text](auto& value, std::string_view then) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const bool read = error == std::errc{} && text.starts_with(then);
        text.remove_prefix(read ? then.size() : 0);
        return read;
    };
    CallbackBatch batch;
    std::uint32_t wait = 0;
    if (!number(batch.max, "/") || !number(wait, "ms") || !text.empty()) {
        return std::nullopt;
    }
    batch.wait = Millis{wait};
    const bool fits = batch.max >= 1 && batch.max <= max_most && batch.wait <= wait_most;
    return fits ? std::optional{batch} : std::nullopt;
}

std::string CallbackBatch::text() const {
    return fmt::format("{}/{}ms", max, wait.count());
}

std::string Rate::text() const {
    return fmt::format("{}/{}", count, period == std::chrono::seconds{1} ? "s" : "min");
}

std::optional<RateChoice> RateChoice::parse(std::string_view text) noexcept {
    if (text == "none") {
        return RateChoice{.kind = Kind::unlimited, .rate = {}};
    }
    if (text == "default") {
        return RateChoice{};
    }
    std::uint32_t count = 0;
    const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const std::string_view rest{unit, static_cast<std::size_t>(text.data() + text.size() - unit)};
    if (error != std::errc{} || count == 0 || count > rate_count_max ||
        (rest != "/s" && rest != "/min")) {
        return std::nullopt;
    }
    return RateChoice{
        .kind = Kind::own,
        .rate = {.count = count, .period = std::chrono::seconds{rest == "/s" ? 1 : 60}}};
}

std::string RateChoice::text() const {
    switch (kind) {
        case Kind::server_default:
            return "default";
        case Kind::unlimited:
            return "none";
        case Kind::own:
            return rate.text();
    }
    return "unknown";
}

std::string_view to_string(Revision revision) noexcept {
    return revision == Revision::a ? "A" : "B";
}

std::optional<Revision> parse_revision(std::string_view word) noexcept {
    if (word == "A" || word == "a") {
        return Revision::a;
    }
    if (word == "B" || word == "b") {
        return Revision::b;
    }
    return std::nullopt;
}

}  // namespace merpati::model
