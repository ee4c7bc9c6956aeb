// The import of an uploaded list while it is under way.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "campaign/audience/upload.hpp"

namespace merpati::campaign {

/// Operation: takes the list in pieces of any size. The first error ends the import: every later
/// call answers it again. Derived classes begin it, each with its own `Work`.
///
/// Threads: one at a time.
class ListImport {
public:
    struct Work {
        virtual ~Work() = default;
        [[nodiscard]] virtual Result<void> take(std::string_view piece) = 0;
        [[nodiscard]] virtual Result<Imported> finish() = 0;
    };
    explicit ListImport(std::unique_ptr<Work> work) : work_(std::move(work)) {}

    [[nodiscard]] Result<void> take(std::string_view piece) {
        return unless_failed([&] { return work_->take(piece); });
    }
    [[nodiscard]] Result<Imported> finish() {
        return unless_failed([&] { return work_->finish(); });
    }

private:
    template <class Act>
    auto unless_failed(Act act) -> decltype(act()) {
        if (fault_) {
            return std::unexpected(*fault_);
        }
        auto done = act();
        if (!done) {
            fault_ = done.error();
        }
        return done;
    }

    std::unique_ptr<Work> work_;
    std::optional<Error> fault_;
};

}  // namespace merpati::campaign
