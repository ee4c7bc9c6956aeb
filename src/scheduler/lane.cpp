#include "scheduler/lane.hpp"

namespace merpati::scheduler {

void Lane::recover(model::Source which, Timestamp due_from) {
    recovered_ = true;
    source(which).note_on_disk(due_from);
}

void Lane::recover(const store::LaneRecord& record) {
    recovered_ = true;
    outage_.restore(record.down_since);
    if (record.sent) {
        pacer_.restore(*record.sent);
    }
}

void Lane::change(const model::Device& device, connector::Connector* connector, Timestamp now,
                  Millis clock_offset) {
    const bool was_known = known_;
    const bool was_connected = connected();
    const bool was_up = was_connected && !outage_.is_probing();
    known_ = true;
    state_ = device.state;
    paused_ = device.pause.has_value();
    pause_.until = device.resumed_at;
    if (device.pause) {
        pause_.from = device.pause->since + clock_offset;
    } else if (!was_known) {
        pause_.from = pause_.until;
    }
    connector_ = connector;
    pacer_.set(device.pace, device.created_at + clock_offset);
    if (model::is_online(state_)) {
        outage_.stop_probing();
    }
    if (!connected() && (was_up || !outage_.since())) {
        outage_.begin(now);
    } else if (connected() && was_known && !was_connected) {
        outage_.end(now);  // After a start the first send decides this.
    }
}

void Lane::remove(Timestamp now) {
    arriving_.reset();
    known_ = false;
    recovered_ = false;
    connector_ = nullptr;
    paused_ = false;
    pacer_ = Pacer{};
    outage_.restore(now);  // For messages that still wait in it.
}

void Lane::expect(model::Device device) {
    recovered_ = true;  // It stays until it is read.
    if (arriving_ == nullptr) {
        arriving_ = std::make_unique<model::Device>(std::move(device));
    } else {
        *arriving_ = std::move(device);
    }
}

std::unique_ptr<const model::Device> Lane::arrive(Timestamp give_up_from) {
    give_up_from_ = give_up_from;
    return std::move(arriving_);
}

void Lane::leave() {
    leaving_ = std::make_unique<Leaving>();
    known_ = false;
    for (auto& source : sources_) {
        source.note_read({});
    }
}

void Lane::hold_until_left(std::shared_ptr<const void> request) {
    leaving_->requests.push_back(std::move(request));
}

void Lane::note_working(bool was_probe, Timestamp now) {
    if (was_probe) {
        outage_.stop_probing();
    }
    if (!outage_.is_probing() && connected()) {
        outage_.end(now);
    }
}

void Lane::note_end_of_cap(Timestamp now) {
    const auto ready_at = pacer_.ready_at();
    if (pacer_.is_capped() && ready_at <= now) {
        cap_ = {.from = pacer_.sent_at().value_or(ready_at), .until = ready_at};
    }
}

LaneSource* Lane::next_due(Timestamp now, const AwaitingMax& awaiting_max) {
    for (const auto which : {model::Source::api, model::Source::campaign}) {
        if (source(which).is_due(now, awaiting_max.of(which))) {
            return &source(which);
        }
    }
    return nullptr;
}

}  // namespace merpati::scheduler
