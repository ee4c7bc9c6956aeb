// Rows of counts that cannot be written because the store is damaged there.
#pragma once

#include <cstddef>
#include <set>

#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// Leaves out the rows of a key (an account, a device) once a write of them has met damage, until
/// the next start. Counts are less than the messages that they count: those go on.
///
/// Each key costs the batch another run, so after `keys_max` keys all rows are left out.
template <class Key, std::size_t keys_max = 8>
class DamagedRows {
public:
    [[nodiscard]] bool leaves_out(const Key& key) const {
        return keys_.size() >= keys_max || keys_.contains(key);
    }

    /// Calls `write`, unless the key is left out. Throws what `write` throws; after damage the key
    /// is left out.
    template <class Write>
    void write(const Key& key, Write write) {
        if (leaves_out(key)) {
            return;
        }
        try {
            write();
        } catch (const Failure& failure) {
            if (failure.is_damage()) {
                keys_.insert(key);
            }
            throw;
        }
    }

private:
    std::set<Key> keys_;
};

}  // namespace merpati::store::sql
