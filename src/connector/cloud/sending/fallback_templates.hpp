// Finds the templates that texts are sent as when the window for free texts is closed.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/shared_cache.hpp"
#include "connector/cloud/graph/graph_client.hpp"
#include "connector/cloud/number/number.hpp"

namespace merpati::connector::cloud {

/// Operation: asks the platform for the template, and remembers it for known_for. Messages
/// of a number that need the same one at the same time wait for one answer. Numbers share nothing:
/// anybody can name a business account that is not theirs, and would be answered for it.
///
/// Threads: one. Limits: remembered_max templates, shared among numbers.
class FallbackTemplates {
public:
    static constexpr std::chrono::minutes known_for{10};
    static constexpr std::size_t remembered_max = 4'096;

    FallbackTemplates(const Clock& clock, GraphClient& graph)
        : clock_(clock), graph_(graph), known_(remembered_max) {}

    /// Errors: refused (there is no such approved template with one variable), unreachable (the
    /// platform does not say).
    using Found = std::move_only_function<void(Result<MessageTemplate>)>;
    /// `wanted`: "NAME:LANGUAGE".
    void find(const Access& access, const std::string& waba_id, const std::string& wanted,
              Found found);

private:
    struct Known {
        MessageTemplate used;
        SteadyTime until;
    };
    using Key = std::pair<std::string, std::string>;  // The number's id, ACCOUNT/NAME:LANGUAGE.

    void take(const Key& key, Result<MessageTemplate> found);

    const Clock& clock_;
    GraphClient& graph_;
    SharedCache<std::string, std::string, Known> known_;
    std::map<Key, std::vector<Found>> waiting_;
};

/// The template "NAME:LANGUAGE" of the page, if it can carry any text. Errors: refused.
[[nodiscard]] Result<MessageTemplate> usable_template(const TemplatePage& page,
                                                      std::string_view wanted);

}  // namespace merpati::connector::cloud
