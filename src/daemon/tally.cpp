#include "daemon/tally.hpp"

#include <algorithm>
#include <string>

#include "base/assert.hpp"

namespace merpati::daemon {
namespace {

using model::MessageState;
using model::StatusCode;
using telemetry::Figure;

/// The ends that messages normally have. Other combinations are shown only once they were counted.
constexpr bool is_usual(MessageState state, StatusCode code) {
    switch (state) {
        case MessageState::sent:
            return code == StatusCode::sent;
        case MessageState::failed:
            return code != StatusCode::sent;
        case MessageState::cancelled:
        case MessageState::held:
            return code == StatusCode::failed;
        case MessageState::pending:
        case MessageState::sending:
        case MessageState::handed_over:
            return false;
    }
    return false;
}

/// Whether an operation with a key can be refused for this reason. The other reasons are shown only
/// once they were counted.
constexpr bool may_refuse(api::Refusal refusal) {
    return refusal < api::Refusal::bad_request || refusal == api::Refusal::body_too_large ||
           refusal == api::Refusal::overloaded || refusal == api::Refusal::storage_full ||
           refusal == api::Refusal::storage_unavailable || refusal == api::Refusal::storage_damaged;
}

double value(const telemetry::Counter& counter) {
    return static_cast<double>(counter.value());
}

template <class Enum>
constexpr std::size_t place(Enum number) {
    return static_cast<std::size_t>(number);
}

}  // namespace

void Tally::accepted(model::Revision revision) noexcept {
    accepted_[revision == model::Revision::a ? 0 : 1].add();
}

void Tally::refused(api::Refusal refusal) noexcept {
    refused_[place(refusal)].add();
}

void Tally::finished(const model::Completion& completion) noexcept {
    const auto code =
        static_cast<std::size_t>(std::ranges::find(codes, completion.code) - codes.begin());
    invariant(code < codes.size(), "every code has a counter");
    finished_[place(completion.state)][code].add();
}

void Tally::committed(std::size_t operations, std::chrono::microseconds took) noexcept {
    commit_sizes_.observe(static_cast<double>(operations));
    commit_seconds_.observe(std::chrono::duration<double>{took}.count());
}

void Tally::signed_in(people::SignInResult result) noexcept {
    sign_ins_[place(result)].add();
}

void Tally::add_to(std::vector<Figure>& figures) const {
    figures.push_back({.name = "merpati_messages_accepted_total",
                       .help = "Messages stored and acknowledged, by revision",
                       .counter = true,
                       .samples = {{.labels = {{"revision", "A"}}, .value = value(accepted_[0])},
                                   {.labels = {{"revision", "B"}}, .value = value(accepted_[1])}}});
    Figure refused{.name = "merpati_requests_refused_total",
                   .help = "Requests of operations with a key that were refused, by reason",
                   .counter = true};
    for (std::size_t number = 0; number < refused_.size(); ++number) {
        const auto& row = api::error_row(static_cast<api::Refusal>(number));
        if (refused_[number].value() > 0 || may_refuse(row.id)) {
            refused.samples.push_back(
                {.labels = {{"reason", std::string{row.name}}}, .value = value(refused_[number])});
        }
    }
    figures.push_back(std::move(refused));
    Figure finished{.name = "merpati_messages_finished_total",
                    .help = "Messages ended or held, by state and code",
                    .counter = true};
    for (std::size_t state = 0; state < states_count; ++state) {
        for (std::size_t code = 0; code < codes.size(); ++code) {
            const auto& counter = finished_[state][code];
            const auto named = static_cast<MessageState>(state);
            if (is_usual(named, codes[code]) || counter.value() > 0) {
                finished.samples.push_back(
                    {.labels = {{"state", std::string{model::to_string(named)}},
                                {"code", std::to_string(place(codes[code]))}},
                     .value = value(counter)});
            }
        }
    }
    figures.push_back(std::move(finished));
    Figure sign_ins{.name = "merpati_sign_ins_total",
                    .help = "Attempts to sign in, or to confirm a password, by result",
                    .counter = true};
    for (std::size_t number = 0; number < sign_ins_.size(); ++number) {
        const auto result = static_cast<people::SignInResult>(number);
        sign_ins.samples.push_back({.labels = {{"result", std::string{people::to_string(result)}}},
                                    .value = value(sign_ins_[number])});
    }
    figures.push_back(std::move(sign_ins));
    figures.push_back({.name = "merpati_commit_duration_seconds",
                       .help = "How long a group commit took, fsync included",
                       .histogram = &commit_seconds_});
    figures.push_back({.name = "merpati_commit_size_operations",
                       .help = "Operations that one group commit made durable",
                       .histogram = &commit_sizes_});
}

}  // namespace merpati::daemon
