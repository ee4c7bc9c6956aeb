#include "base/under_way_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file_descriptor.hpp"

namespace merpati {
namespace {

constexpr std::uint64_t magic = 0x31'59'41'57'52'44'4E'55;  // "UNDRWAY1"
constexpr std::size_t unnamed = ~std::size_t{0};

constexpr Millis put_off_min = std::chrono::seconds{2};
constexpr Millis put_off_max = std::chrono::minutes{10};
constexpr Millis distance{20};  // Between two items.

Millis put_off_after(std::uint32_t crashes) {
    const auto doublings = std::min<std::uint32_t>(crashes > 0 ? crashes - 1 : 0, 16);
    return std::min(put_off_min * (1 << doublings), put_off_max);
}

enum State : std::uint32_t { unused = 0, under_way = 1, met_a_crash = 2 };

struct Entry {
    std::int64_t sequence;
    std::uint64_t tail;
    std::uint32_t crashes;
    std::uint32_t state;  // Written last by `begin`.
    std::uint64_t reserved;
};
static_assert(sizeof(Entry) == 32);

std::unexpected<Error> io_failed(const std::string& path, const char* what) {
    return fail(ErrorCode::io_failed, path + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

/// The file, open, locked and mapped. Its first entry is the header: magic and number of names.
class UnderWayFile::Mapping {
public:
    Mapping(FileDescriptor file, void* memory, std::size_t bytes)
        : file_(std::move(file)), entries_(static_cast<Entry*>(memory)), bytes_(bytes) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { ::munmap(entries_, bytes_); }

    [[nodiscard]] std::size_t names() const noexcept { return bytes_ / sizeof(Entry) - 1; }
    [[nodiscard]] Entry& name(std::size_t place) noexcept { return entries_[place + 1]; }

    void set_state(std::size_t place, State state) noexcept {
        std::atomic_ref{name(place).state}.store(state, std::memory_order_release);
    }

    /// Clears the file unless its header has this program's format.
    void check() noexcept {
        auto& header = entries_[0];
        const bool ours =
            static_cast<std::uint64_t>(header.sequence) == magic && header.tail == names();
        if (!ours) {
            std::memset(static_cast<void*>(entries_), 0, bytes_);
            header.tail = names();
            header.sequence = static_cast<std::int64_t>(magic);
        }
    }

private:
    const FileDescriptor file_;
    Entry* entries_;
    std::size_t bytes_;
};

Result<UnderWayFile> UnderWayFile::open(const std::string& path, std::size_t names_max) {
    const auto bytes = (names_max + 1) * sizeof(Entry);
    FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!file) {
        return io_failed(path, "cannot be opened");
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        return io_failed(path, "is used by another process");
    }
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) {
        return io_failed(path, "cannot be looked at");
    }
    if (static_cast<std::size_t>(status.st_size) != bytes) {
        // A copy-on-write file system writes each page to a new block, which a full disk lacks.
        int flags = FS_NOCOW_FL;
        if (::ftruncate(file.get(), 0) != 0) {
            return io_failed(path, "cannot be emptied");
        }
        static_cast<void>(::ioctl(file.get(), FS_IOC_SETFLAGS, &flags));
        if (const int error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
            error != 0) {
            errno = error;
            return io_failed(path, "cannot be allocated");
        }
    }
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) {
        return io_failed(path, "cannot be mapped");
    }
    return UnderWayFile{std::make_unique<Mapping>(std::move(file), memory, bytes)};
}

UnderWayFile::UnderWayFile(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {
    mapping_->check();
    free_.reserve(mapping_->names());  // So that `end` never allocates.
    for (std::size_t place = mapping_->names(); place-- > 0;) {
        auto& entry = mapping_->name(place);
        const auto slot = static_cast<std::uint32_t>(place);
        if (entry.state == unused) {
            free_.push_back(slot);
            continue;
        }
        if (entry.state == under_way) {
            ++entry.crashes;
            mapping_->set_state(place, met_a_crash);
        }
        const auto [known, is_new] = found_.emplace(Uuid{entry.sequence, entry.tail}, slot);
        if (!is_new) {  // After a power cut an item may have two entries.
            auto& kept = mapping_->name(known->second);
            kept.crashes = std::max(kept.crashes, entry.crashes);
            mapping_->set_state(place, unused);
            free_.push_back(slot);
        }
    }
}

UnderWayFile::UnderWayFile(UnderWayFile&&) noexcept = default;
UnderWayFile& UnderWayFile::operator=(UnderWayFile&&) noexcept = default;
UnderWayFile::~UnderWayFile() = default;

std::vector<UnderWayFile::Found> UnderWayFile::found() const {
    std::vector<Found> all;
    for (const auto& [id, place] : found_) {
        all.push_back({.id = id, .crashes = mapping_->name(place).crashes});
    }
    std::ranges::sort(all, {}, [](const Found& one) { return std::pair{one.crashes, one.id}; });
    Millis behind{0};
    for (auto& one : all) {
        one.put_off = put_off_after(one.crashes) + behind;
        behind += distance;
    }
    return all;
}

std::size_t UnderWayFile::begin(const Uuid& id) {
    if (!found_.empty()) {
        if (const auto known = found_.find(id); known != found_.end()) {
            const auto place = known->second;
            found_.erase(known);
            mapping_->set_state(place, under_way);
            return place;
        }
    }
    if (free_.empty()) {
        return unnamed;
    }
    const auto place = free_.back();
    free_.pop_back();
    auto& entry = mapping_->name(place);
    entry.sequence = id.sequence();
    entry.tail = id.tail();
    entry.crashes = 0;
    mapping_->set_state(place, under_way);
    return place;
}

void UnderWayFile::end(std::size_t name) noexcept {
    if (name != unnamed) {
        mapping_->set_state(name, unused);
        free_.push_back(static_cast<std::uint32_t>(name));
    }
}

void UnderWayFile::forget(const Uuid& id) {
    if (const auto known = found_.find(id); known != found_.end()) {
        mapping_->set_state(known->second, unused);
        free_.push_back(known->second);
        found_.erase(known);
    }
}

}  // namespace merpati
