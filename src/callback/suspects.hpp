// Callbacks whose attempts were in flight when the process died.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/under_way_file.hpp"
#include "store/reader.hpp"

namespace merpati::callback {

/// One of them may have caused the crash, so a start after a crash begins with all others.
///
/// Operation: `begin` and `end` name each attempt in a file (base/under_way_file.hpp). The next
/// start finds those that were in flight, and holds each back for as long as that file says.
///
/// Limits: holds nothing back when the file is missing or not to be used; nothing is lost with it.
///
/// Threads: the sender's one.
class Suspects {
public:
    /// `file` empty: none. `most`: attempts in flight at once.
    Suspects(const std::string& file, std::size_t most);

    /// Reads what the last process left. Errors: store_failed.
    [[nodiscard]] Result<void> recover(store::Reader& reader, SteadyTime now);

    [[nodiscard]] bool holds(const Uuid& id) const { return !held_.empty() && held_.contains(id); }

    /// The next one whose time has come, to be attempted as any other from now on.
    [[nodiscard]] std::optional<store::Endpoint> release(SteadyTime now);
    [[nodiscard]] SteadyTime next_at() const;
    [[nodiscard]] std::size_t count() const noexcept { return held_.size(); }

    /// Names an attempt; the answer is for `end`.
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
    std::unordered_map<Uuid, store::Endpoint> held_;
    std::vector<Held> order_;  // The next one last.
};

}  // namespace merpati::callback
