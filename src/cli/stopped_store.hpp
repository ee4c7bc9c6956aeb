// Runs the catalogue's operations in this process, on a store that no server has open.
#pragma once

#include <memory>
#include <string_view>

#include "api/manage/engine/manage.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"

namespace merpati::cli {

/// Operation: holds the store's lock until destroyed, so open it late and destroy it soon. Devices
/// have no connection here: connecting one only records the state, and the server connects the
/// device when it starts. Callbacks and webhooks are stored with the change that causes them, and
/// the server sends them when it starts.
///
/// Threads: one.
class StoppedStore {
public:
    /// `create`: whether to create a missing store. Errors: those of store::open_store; busy means
    /// that a server or another command has the store open.
    [[nodiscard]] static Result<std::unique_ptr<StoppedStore>> open(
        const config::Settings& settings, const Clock& clock, Random& random, bool create);

    ~StoppedStore();

    /// Call it before the first change. Where other servers share the store, none of them begins to
    /// work from then on until this is destroyed. Idempotent. Errors: busy (one works, and would
    /// not know of a change); those of store::Nodes and of its readers.
    [[nodiscard]] Result<void> keep_others_out();

    [[nodiscard]] api::manage::Outcome handle(http::Method method, std::string_view path,
                                              std::string_view query, std::string_view body);

    /// The same with a body that is read in pieces (Manage::handle_upload).
    [[nodiscard]] api::manage::Outcome upload(http::Method method, std::string_view path,
                                              std::string_view query, std::string_view type,
                                              api::manage::Upload& body);

private:
    class Impl;
    explicit StoppedStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::cli
