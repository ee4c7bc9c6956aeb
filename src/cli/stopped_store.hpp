// A store that no server has open: the catalogue in this process.
#pragma once

#include <memory>
#include <string_view>

#include "api/manage/manage.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"

namespace merpati::cli {

/// Operation: opens the store and holds its lock until destroyed, so open
/// it late and drop it soon. Devices have no connection here: connecting one records that it
/// shall be connected when the server starts. Callbacks and webhooks of what changes are stored
/// with it, and leave when the server starts.
///
/// Threads: one.
class StoppedStore {
public:
    /// `create`: whether a store that is not there is made. Errors: those of store::open_store;
    /// busy means that a server has it, or another command.
    [[nodiscard]] static Result<std::unique_ptr<StoppedStore>> open(
        const config::Settings& settings, const Clock& clock, Random& random, bool create);

    ~StoppedStore();

    [[nodiscard]] api::manage::Outcome handle(http::Method method, std::string_view path,
                                              std::string_view query, std::string_view body);

private:
    class Impl;
    explicit StoppedStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::cli
