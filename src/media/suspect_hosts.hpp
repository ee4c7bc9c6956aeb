// Media hosts with requests in flight when the process died.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/under_way_file.hpp"

namespace merpati::media {

/// One of them may have sent what killed it, so a start after a crash does not begin with them.
///
/// Operation: `begin` and `end` name each request's host in a file (base/under_way_file.hpp); the
/// next start puts those off that it finds there.
///
/// Limits: puts nothing off when the file is missing or cannot be used; nothing else depends on it.
///
/// Threads: its owner's.
class SuspectHosts {
public:
    /// `file` empty: none. `requests_max`: how many are under way at once.
    SuspectHosts(const std::string& file, std::size_t requests_max, SteadyTime now);

    /// When requests to this host may begin; nothing: at once.
    [[nodiscard]] std::optional<SteadyTime> put_off_until(const std::string& host,
                                                          SteadyTime now) const;

    void begin(const std::string& host);
    void end(const std::string& host);

    /// The process ends in order: none of those that were found is suspected any more.
    void clear();

private:
    struct UnderWay {
        std::size_t name = 0;
        std::size_t requests = 0;
    };

    std::optional<UnderWayFile> file_;
    std::unordered_map<Uuid, SteadyTime> put_off_;
    std::unordered_map<std::string, UnderWay> under_way_;
};

}  // namespace merpati::media
