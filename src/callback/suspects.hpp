// Callbacks whose attempts were in flight when the process crashed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/under_way_file.hpp"
#include "store/callback_reader.hpp"

namespace merpati::callback {

/// Holds these callbacks back, so that all others are attempted before them: one of these may have
/// caused the crash.
///
/// Operation: `begin` and `end` record each attempt in a file (base/under_way_file.hpp). The next
/// start finds the callbacks that were in flight, and holds each back for its
/// `UnderWayFile::Found::put_off`.
///
/// Limits: if the file is missing or cannot be used, none is held back; no callback is lost.
///
/// Faults: a callback whose row is damaged is forgotten. The store's condition records it.
///
/// Threads: the sender's one.
class Suspects {
public:
    /// `file`: its path; empty: none. `most`: attempts in flight at once. `on_error` may be empty;
    /// it is called, from here, if the file cannot be used.
    Suspects(const std::string& file, std::size_t most,
             const std::function<void(const Error&)>& on_error);

    /// Finds the callbacks that were in flight. Errors: store_failed.
    [[nodiscard]] Result<void> recover(store::CallbackReader& reader, SteadyTime now);

    [[nodiscard]] bool contains(const Uuid& id) const {
        return !endpoints_.empty() && endpoints_.contains(id);
    }

    /// The endpoint of the next callback whose time is over; it is no longer held back. Empty:
    /// none.
    [[nodiscard]] std::optional<store::Endpoint> release(SteadyTime now);
    [[nodiscard]] SteadyTime next_at() const;
    [[nodiscard]] std::size_t count() const noexcept { return endpoints_.size(); }

    /// Records an attempt; returns its slot, for `end`.
    [[nodiscard]] std::size_t begin(const Uuid& id) { return file_ ? file_->begin(id) : 0; }
    void end(std::size_t name) {
        if (file_) {
            file_->end(name);
        }
    }

private:
    struct Held {
        Uuid id;
        store::Endpoint endpoint;
        SteadyTime release_at;
    };

    std::optional<UnderWayFile> file_;
    std::unordered_map<Uuid, store::Endpoint> endpoints_;
    std::vector<Held> order_;  // The next one to release last.
};

}  // namespace merpati::callback
