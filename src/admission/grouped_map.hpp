// Records by their owner, so that the list of one owner does not scan those of all.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "admission/sharded_map.hpp"

namespace merpati::admission {

/// Records in groups; each group is in the order of `Id`. `Record` is copied by its readers, so it
/// should be a pointer.
///
/// Operation: the cost of `of` and of `put` depends on the size of that group, not on the number of
/// groups. A group without records takes no memory.
///
/// Threads: reads from any; changes from one.
template <class Owner, class Id, class Record>
class GroupedMap {
public:
    /// Replaces the record with this id.
    void put(const Owner& owner, const Id& id, Record record) {
        auto group = groups_.find(owner).value_or(nullptr);
        if (group == nullptr) {
            group = std::make_shared<Group>();
            groups_.put(owner, group);
        }
        const std::unique_lock lock{group->mutex};
        group->records.insert_or_assign(id, std::move(record));
    }

    void remove(const Owner& owner, const Id& id) {
        const auto group = groups_.find(owner).value_or(nullptr);
        if (group == nullptr) {
            return;
        }
        bool is_empty = false;
        {
            const std::unique_lock lock{group->mutex};
            group->records.erase(id);
            is_empty = group->records.empty();
        }
        if (is_empty) {
            groups_.remove(owner);
        }
    }

    void clear() { groups_.clear(); }

    /// The records of one group, in order.
    [[nodiscard]] std::vector<Record> of(const Owner& owner) const {
        std::vector<Record> all;
        if (const auto group = groups_.find(owner)) {
            const std::shared_lock lock{(*group)->mutex};
            all.reserve((*group)->records.size());
            for (const auto& [id, record] : (*group)->records) {
                all.push_back(record);
            }
        }
        return all;
    }

private:
    struct Group {
        mutable std::shared_mutex mutex;
        std::map<Id, Record> records;
    };
    ShardedMap<Owner, std::shared_ptr<Group>> groups_;
};

}  // namespace merpati::admission
