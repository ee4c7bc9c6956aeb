// Records in the order of their ids, which are read a page at a time.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace merpati {

/// A part of a list: at most `limit` records after `after` (empty: from the first).
template <class Id>
struct ListPart {
    std::optional<Id> after{};
    std::size_t limit = std::numeric_limits<std::size_t>::max();
};

/// A map in order. `Record` is copied by its readers, so it should be a pointer.
///
/// Operation: the cost of `part` depends on the size of the part, not on that of the map.
///
/// Threads: reads from any; changes from one.
template <class Id, class Record>
class OrderedMap {
public:
    /// Replaces the record with this id.
    void put(const Id& id, Record record) {
        const std::unique_lock lock{mutex_};
        records_.insert_or_assign(id, std::move(record));
    }

    /// True: the map has no more records.
    bool remove(const Id& id) {
        const std::unique_lock lock{mutex_};
        records_.erase(id);
        return records_.empty();
    }

    void clear() {
        const std::unique_lock lock{mutex_};
        records_.clear();
    }

    [[nodiscard]] std::optional<Record> find(const Id& id) const {
        const std::shared_lock lock{mutex_};
        const auto found = records_.find(id);
        return found == records_.end() ? std::nullopt : std::optional{found->second};
    }

    [[nodiscard]] std::vector<Record> part(const ListPart<Id>& wanted) const {
        std::vector<Record> found;
        const std::shared_lock lock{mutex_};
        auto next = wanted.after ? records_.upper_bound(*wanted.after) : records_.begin();
        for (; next != records_.end() && found.size() < wanted.limit; ++next) {
            found.push_back(next->second);
        }
        return found;
    }

private:
    mutable std::shared_mutex mutex_;
    std::map<Id, Record> records_;
};

}  // namespace merpati
