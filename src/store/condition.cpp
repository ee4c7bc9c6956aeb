#include "store/condition.hpp"

#include <fmt/format.h>

#include "telemetry/log.hpp"

namespace merpati::store {
namespace {

std::string count_of(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

bool Condition::is_damaged(model::PhoneNumber lane) const {
    if (!lanes_damaged_) {
        return false;
    }
    const std::lock_guard lock{mutex_};
    return lanes_.contains(lane);
}

bool Condition::may_send(std::size_t in_flight) const noexcept {
    if (!available_) {
        return false;
    }
    switch (room_.load()) {
        case Room::ample:
            return true;
        case Room::low:
            return in_flight < sends_max_;
        case Room::none:
            return false;
    }
    return false;
}

std::string Condition::trouble() const {
    std::string words;
    if (room_ == Room::low) {
        words = "its disk is nearly full: no messages are accepted";
    } else if (room_ == Room::none) {
        words = "its disk is full: nothing is accepted or sent";
    }
    if (!available_) {
        words += words.empty() ? "" : "; ";
        words += "its database cannot be used (the log says why): nothing is accepted or sent";
    }
    if (locked_) {
        words += words.empty() ? "" : "; ";
        words += "is locked by another program: end it";
    }
    const std::lock_guard lock{mutex_};
    if (damages_ > 0) {
        words += words.empty() ? "" : "; ";
        words +=
            fmt::format("is damaged: {}{} cannot be read or written",
                        damages_ >= damages_max ? "at least " : "", count_of(damages_, "place"));
        if (!lanes_.empty()) {
            words += fmt::format(", {} cannot send", count_of(lanes_.size(), "device"));
        }
    }
    return words;
}

void Condition::set_room(Room room, std::size_t sends_max) noexcept {
    sends_max_ = sends_max;
    room_ = room;
}

void Condition::set_available(bool available) noexcept {
    if (!available_.exchange(available) && available) {
        ++reconnects_;
    }
}

void Condition::note_damaged_lane(model::PhoneNumber lane) {
    bool is_new = false;
    {
        const std::lock_guard lock{mutex_};
        is_new = lanes_.size() < damages_max && lanes_.insert(lane).second;
        lanes_damaged_ = true;
    }
    note(is_new, "the queue of device " + telemetry::mask_number(lane.text()));
}

void Condition::note_damage(const std::string& place) {
    bool is_new = false;
    {
        const std::lock_guard lock{mutex_};
        is_new = places_.size() < damages_max && places_.insert(place).second;
    }
    note(is_new, place);
}

/// Without the lock, so that `on_damage_` may read the condition.
void Condition::note(bool is_new, std::string_view place) {
    if (is_new) {
        ++damages_;
        if (on_damage_) {
            on_damage_(place);
        }
    }
}

}  // namespace merpati::store
