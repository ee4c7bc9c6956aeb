// Records by their owner, so that the list of one owner does not scan those of all.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/ordered_map.hpp"
#include "base/sharded_map.hpp"

namespace merpati {

/// Records in groups; each group is in the order of `Id`. `Record` is copied by its readers, so it
/// should be a pointer.
///
/// Operation: the cost of `of` and of `put` does not depend on the number of groups. A group
/// without records takes no memory.
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
        group->put(id, std::move(record));
    }

    void remove(const Owner& owner, const Id& id) {
        const auto group = groups_.find(owner).value_or(nullptr);
        if (group != nullptr && group->remove(id)) {
            groups_.remove(owner);
        }
    }

    void clear() { groups_.clear(); }

    /// The records of one group, in order.
    [[nodiscard]] std::vector<Record> of(const Owner& owner, const ListPart<Id>& part = {}) const {
        const auto group = groups_.find(owner).value_or(nullptr);
        return group == nullptr ? std::vector<Record>{} : group->part(part);
    }

private:
    using Group = OrderedMap<Id, Record>;
    ShardedMap<Owner, std::shared_ptr<Group>> groups_;
};

}  // namespace merpati
