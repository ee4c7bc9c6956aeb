#include "campaign/estimate.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "scheduler/pacer.hpp"

namespace merpati::campaign {
namespace {

using std::chrono::days;

constexpr auto no_cap = std::numeric_limits<std::int64_t>::max();

/// How many sends with these gaps begin within a time.
std::int64_t sends_within(Millis time, double gap_millis) {
    return time > Millis{0}
               ? 1 + static_cast<std::int64_t>(static_cast<double>(time.count() - 1) / gap_millis)
               : 0;
}

/// Goes through the times between quiet times and the ends of days.
class Course {
public:
    explicit Course(const EstimateInput& input)
        : input_(input), now_(input.begin), left_(input.messages) {
        for (const auto& sender : input.senders) {
            const auto gap = static_cast<double>(sender.pace.gap_min.count()) +
                             static_cast<double>(sender.pace.jitter_max.count()) / 2;
            senders_.push_back({.sender = &sender, .gap_millis = std::max(gap, 1.0)});
            has_caps_ = has_caps_ || sender.pace.per_day_max != 0;
        }
        begin_day(true);
    }

    /// The time of the last message.
    [[nodiscard]] Timestamp end() {
        const auto latest = input_.begin + estimate_max;
        while (now_ < latest) {
            const auto silence = silence_at(now_);
            if (silence && silence->from <= now_) {
                advance(std::min(silence->until, day_end_));
                continue;
            }
            auto until = has_caps_ ? std::min(day_end_, latest) : latest;
            until = silence ? std::min(until, silence->from) : until;
            if (sent_within(until - now_) >= left_) {
                return now_ + time_of_last();
            }
            send(until - now_);
            advance(until);
        }
        return latest;
    }

private:
    struct State {
        const EstimateSender* sender = nullptr;
        double gap_millis = 1;
        std::int64_t left_today = no_cap;
    };

    [[nodiscard]] std::optional<Silence> silence_at(Timestamp time) const {
        return input_.silence_at ? input_.silence_at(time) : std::nullopt;
    }

    void begin_day(bool is_first) {
        day_end_ = std::chrono::floor<days>(now_) + days{1};
        for (auto& state : senders_) {
            const auto& pace = state.sender->pace;
            if (pace.per_day_max != 0) {
                const std::int64_t cap =
                    scheduler::cap_of_day(pace, state.sender->added_at, day_end_);
                state.left_today =
                    std::max<std::int64_t>(cap - (is_first ? state.sender->sent_today : 0), 0);
            }
        }
    }

    void advance(Timestamp to) {
        now_ = to;
        if (now_ >= day_end_) {
            begin_day(false);
        }
    }

    [[nodiscard]] static std::int64_t sent_by(const State& state, Millis time) {
        return std::min(state.left_today, sends_within(time, state.gap_millis));
    }

    [[nodiscard]] std::int64_t senders_within(Millis time) const {
        std::int64_t sum = 0;
        for (const auto& state : senders_) {
            sum += sent_by(state, time);
        }
        return sum;
    }

    [[nodiscard]] std::int64_t sent_within(Millis time) const {
        const auto sent = senders_within(time);
        return input_.per_minute && *input_.per_minute > 0
                   ? std::min(sent, sends_within(time, 60'000.0 / *input_.per_minute))
                   : sent;
    }

    /// If the campaign's pace leaves senders idle, all are used evenly.
    void send(Millis time) {
        const auto possible = senders_within(time);
        const auto sent = sent_within(time);
        for (auto& state : senders_) {
            if (state.left_today != no_cap && possible > 0) {
                const auto part = static_cast<double>(sent_by(state, time)) *
                                  static_cast<double>(sent) / static_cast<double>(possible);
                state.left_today -= static_cast<std::int64_t>(part);
            }
        }
        left_ -= sent;
    }

    /// After `now_`, of the last message that is left.
    [[nodiscard]] Millis time_of_last() const {
        Millis too_short{0};
        Millis enough = estimate_max;
        while (enough - too_short > Millis{1}) {
            const auto middle = too_short + (enough - too_short) / 2;
            (sent_within(middle) >= left_ ? enough : too_short) = middle;
        }
        return enough - Millis{1};
    }

    const EstimateInput& input_;
    Timestamp now_;
    Timestamp day_end_;
    std::int64_t left_;
    std::vector<State> senders_;
    bool has_caps_ = false;
};

/// The last moment until `finish_by` that is not quiet.
Timestamp last_open(const EstimateInput& input, Timestamp finish_by) {
    auto last = input.begin;
    for (auto now = input.begin; now < finish_by;) {
        const auto silence = input.silence_at ? input.silence_at(now) : std::nullopt;
        if (!silence) {
            return finish_by;
        }
        if (silence->from > now) {
            last = std::min(silence->from, finish_by);
        }
        now = silence->until;
    }
    return last;
}

}  // namespace

std::chrono::seconds estimate(const EstimateInput& input) {
    if (input.messages <= 0 || input.senders.empty()) {
        return {};
    }
    auto end = Course{input}.end();
    if (input.finish_by && *input.finish_by > end) {
        end =
            std::max(end, last_open(input, std::min(*input.finish_by, input.begin + estimate_max)));
    }
    return std::max(std::chrono::ceil<std::chrono::seconds>(end - input.begin),
                    std::chrono::seconds{1});
}

}  // namespace merpati::campaign
