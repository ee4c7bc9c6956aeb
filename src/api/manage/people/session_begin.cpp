#include "api/manage/people/session_begin.hpp"

#include "people/token.hpp"

namespace merpati::api::manage::sessions {

model::Session new_session(const Context& context, const Call& call, model::SignIn by,
                           std::string_view token) {
    const auto now = context.clock.now();
    return {.person = {},
            .digest = *people::token_digest(token),
            .by = by,
            .address = call.head.address,
            .agent = call.head.agent,
            .created_at = now,
            .seen_at = now};
}

std::chrono::seconds take_code(const Context& context, const Call& call,
                               const people::Candidate& candidate) {
    if (!candidate.person.has_second_factor || !candidate.code) {
        return {};
    }
    return context.people.throttle.take_code(candidate.person.email, call.head.address,
                                             candidate.is_known_address,
                                             context.clock.steady_now());
}

}  // namespace merpati::api::manage::sessions
