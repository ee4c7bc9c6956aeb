// What tests of whole gateways share.
#pragma once

#include <chrono>
#include <thread>

#include "config/settings.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {

/// On a port that the system chooses, with all its files in the folder. The simulator writes its
/// log there too, as "attempts".
[[nodiscard]] inline config::Settings settings_in(const testing::TemporaryFolder& folder) {
    config::Settings settings;
    settings.http.listen = {"127.0.0.1:0"};
    settings.http.threads = 1;
    settings.store.url = "sqlite:" + folder.file("merpati.db");
    settings.store.key_file = folder.file("merpati.db.key");
    settings.store.reserve_bytes = 1 << 20;
    settings.media.folder = folder.file("media");
    settings.simulator.log = folder.file("attempts");
    return settings;
}

/// Whether the condition holds within `within`. Asks again and again, because threads and servers
/// of other processes tell nobody.
template <class Condition>
[[nodiscard]] bool comes_true(Condition condition,
                              std::chrono::milliseconds within = std::chrono::seconds{30}) {
    constexpr std::chrono::milliseconds each{10};
    for (std::chrono::milliseconds waited{0}; waited < within; waited += each) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(each);
    }
    return false;
}

}  // namespace merpati::daemon
