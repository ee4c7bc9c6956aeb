// Finds the templates that messages are sent as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// Operation: asks the platform for the template, and remembers an approved one for known_for.
/// Whoever needs the same template of a number at the same time waits for one answer. Numbers share
/// nothing: anybody can name a business account that is not theirs, and would be answered for it.
///
/// Threads: one. Limits: remembered_max templates, shared among numbers; pages_max pages of those
/// whose names contain the one that is looked for.
class KnownTemplates {
public:
    static constexpr std::chrono::minutes known_for{10};
    static constexpr std::size_t remembered_max = 4'096;
    static constexpr int pages_max = 10;

    KnownTemplates(const Clock& clock, GraphClient& graph)
        : clock_(clock), graph_(graph), known_(remembered_max) {}

    struct Wanted {
        std::string waba_id;
        std::string name;
        std::string language;
        friend auto operator<=>(const Wanted&, const Wanted&) = default;

        [[nodiscard]] std::string text() const { return waba_id + '/' + name + ':' + language; }
    };
    /// Empty: there is none. Errors: refused (the platform refuses to list it), unreachable (it
    /// does not say).
    using Found = std::move_only_function<void(Result<std::optional<MessageTemplate>>)>;
    void find(const Access& access, const Wanted& wanted, Found found);
    /// The same, as the platform has it now.
    void find_now(const Access& access, const Wanted& wanted, Found found);

private:
    struct Known {
        MessageTemplate used;
        SteadyTime until;
    };
    using Key = std::pair<std::string, Wanted>;  // The number's id first.

    void ask(const Key& key, const std::string& token, const std::string& cursor, int page);
    void take(const Key& key, const Result<std::optional<MessageTemplate>>& found);

    const Clock& clock_;
    GraphClient& graph_;
    SharedCache<std::string, std::string, Known> known_;  // By Wanted::text.
    std::map<Key, std::vector<Found>> waiting_;
};

/// The template "NAME:LANGUAGE" of the business account.
[[nodiscard]] KnownTemplates::Wanted wanted_template(std::string_view waba_id,
                                                     std::string_view name_and_language);

}  // namespace merpati::connector::cloud
