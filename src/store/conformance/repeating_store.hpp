// A store that carries out each change twice, as after a commit that did not happen.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/conformance/forwarding_store.hpp"

namespace merpati::store {

/// Shows that changes are repeatable (Change::run): each runs, is undone, and runs again, in one
/// transaction. The test fails if they do not end alike; what a repetition wrote wrongly fails the
/// assertions of the test. Tests of other rooms open it with `open_repeating_store`.
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
                auto first = each.change.run(tables);
                each.first = end_of(first, tables);
                return first ? fail(ErrorCode::refused, "it runs again") : std::move(first);
            }));
            batch.changes.push_back(with(each.change, [&each](Tables& tables) {
                auto second = each.change.run(tables);
                if (each.first) {  // Damage or a violated constraint ended it otherwise.
                    EXPECT_EQ(*each.first, end_of(second, tables)) << "a change is not repeatable";
                }
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
    /// The error, if any, and how many rows were written that memory follows.
    using End = std::tuple<std::optional<ErrorCode>, std::size_t>;

    struct Repeated {
        Change change;
        std::optional<End> first{};
    };

    static End end_of(const Result<void>& result, const Tables& tables) {
        return {code_of(result), tables.written().size()};
    }
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

/// Opens a store in which every change runs twice, for the tests of whatever room makes changes.
inline std::unique_ptr<Store> open_repeating_store(const StoreOptions& options) {
    static constexpr bool always = true;
    auto opened = open_store(options);
    EXPECT_TRUE(opened) << opened.error().describe();
    return std::make_unique<RepeatingStore>(std::move(opened).value(), always);
}

}  // namespace merpati::store
