// Counts accepted and finished messages, refusals, sign-ins and commits, for metrics.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

#include "api/errors.hpp"
#include "model/account.hpp"
#include "model/outcome.hpp"
#include "people/sign_in.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::daemon {

/// All counters exist from the start; counting is an array index and an atomic increment.
///
/// Threads: any.
class Tally {
public:
    void accepted(model::Revision revision) noexcept;
    void refused(api::Refusal refusal) noexcept;
    void finished(const model::Completion& completion) noexcept;
    void signed_in(people::SignInResult result) noexcept;
    void committed(std::size_t operations, std::chrono::microseconds took) noexcept;

    void add_to(std::vector<telemetry::Figure>& figures) const;

private:
    static constexpr std::array durations{0.0005, 0.001, 0.0025, 0.005, 0.01,
                                          0.025,  0.05,  0.1,    0.5,   2.5};  // Seconds.
    static constexpr std::array sizes{1.0,   2.0,   4.0,   8.0,    16.0,   32.0,  64.0,
                                      128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0};
    static constexpr auto states_count = static_cast<std::size_t>(model::MessageState::held) + 1;
    static constexpr std::array codes{model::StatusCode::sent, model::StatusCode::failed,
                                      model::StatusCode::recipient_unregistered,
                                      model::StatusCode::recipient_invalid,
                                      model::StatusCode::media_refused};

    std::array<telemetry::Counter, 2> accepted_;  // By revision.
    std::array<telemetry::Counter, api::refusals_count> refused_;
    std::array<std::array<telemetry::Counter, codes.size()>, states_count> finished_;
    std::array<telemetry::Counter, people::sign_in_results_count> sign_ins_;
    telemetry::Histogram commit_seconds_{durations};
    telemetry::Histogram commit_sizes_{sizes};
};

}  // namespace merpati::daemon
