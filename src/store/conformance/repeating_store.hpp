// A store that carries out each change twice, as after a commit that did not happen.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/conformance/forwarding_store.hpp"

namespace merpati::store {

/// Shows that changes are repeatable (Change::run): each runs, is undone, and runs again. The test
/// fails if they do not end alike; what a repetition wrote wrongly fails the assertions of the
/// test.
class RepeatingStore final : public WrappingStore {
public:
    /// While `is_repeated` is false, changes run once.
    RepeatingStore(std::unique_ptr<Store> other, const bool& is_repeated)
        : WrappingStore(std::move(other)), is_repeated_(is_repeated) {}

    Result<void> write(WriteBatch& batch) override {
        if (!is_repeated_) {
            return WrappingStore::write(batch);
        }
        std::deque<Repeated> all;
        for (auto& change : batch.changes) {
            all.push_back({.change = std::move(change)});
        }
        batch.changes.clear();
        for (auto& each : all) {
            batch.changes.push_back(with(each.change, [&each](Tables& tables) -> Result<void> {
                each.first = each.change.run(tables);
                return *each.first ? fail(ErrorCode::refused, "it runs again") : *each.first;
            }));
            batch.changes.push_back(with(each.change, [&each](Tables& tables) {
                auto second = each.change.run(tables);
                EXPECT_EQ(code_of(*each.first), code_of(second)) << "a change is not repeatable";
                return second;
            }));
        }
        auto written = WrappingStore::write(batch);
        const auto both = std::exchange(batch.changes, {});
        for (std::size_t place = 0; place < all.size(); ++place) {
            auto& change = all[place].change;
            change.result = both[2 * place + 1].result;
            if (code_of(both[2 * place].result) == ErrorCode::damaged) {
                change.result = both[2 * place].result;
            }
            batch.changes.push_back(std::move(change));
        }
        return written;
    }

private:
    struct Repeated {
        Change change;
        std::optional<Result<void>> first{};
    };

    static std::optional<ErrorCode> code_of(const Result<void>& result) {
        return result ? std::nullopt : std::optional{result.error().code};
    }

    template <class Run>
    static Change with(const Change& change, Run run) {
        return {.run = std::move(run),
                .lasting = change.lasting,
                .accepts = change.accepts,
                .result = change.result};
    }

    const bool& is_repeated_;
};

}  // namespace merpati::store
