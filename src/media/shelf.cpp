#include "media/shelf.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "base/assert.hpp"

namespace merpati::media {
namespace {

constexpr std::string_view incoming_prefix = "incoming-";
constexpr std::uint64_t block = 4096;
constexpr const char* lock_name = "lock";

bool is_ours(const std::string& name) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t sha256_digits = 64;
    return name.starts_with(incoming_prefix) ||
           (name.size() == sha256_digits && name.find_first_not_of(digits) == std::string::npos);
}

std::unexpected<Error> folder_failure(const std::filesystem::path& folder, std::string why) {
    return fail(ErrorCode::io_failed,
                "media.folder " + folder.string() + " cannot be used: " + std::move(why));
}

}  // namespace

Result<std::unique_ptr<Shelf>> Shelf::open(const Clock& clock, ShelfOptions options) {
    const auto& folder = options.folder;
    std::error_code error;
    if (std::filesystem::create_directories(folder, error)) {
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    }
    if (error) {
        return folder_failure(folder, error.message());
    }
    const int lock =
        ::open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0) {
        return folder_failure(folder, std::generic_category().message(errno));
    }
    std::unique_ptr<Shelf> shelf{new Shelf{clock, std::move(options), lock}};
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::conflict, "media.folder " + shelf->options_.folder.string() +
                                             " is used by another server");
    }
    if (auto removed = shelf->remove_leftovers(); !removed) {
        return pass(removed);
    }
    return shelf;
}

Shelf::~Shelf() {
    ::close(lock_);
}

Result<void> Shelf::remove_leftovers() const {
    std::error_code error;
    for (std::filesystem::directory_iterator entry{options_.folder, error}, end;
         !error && entry != end; entry.increment(error)) {
        const auto& path = entry->path();
        if (is_ours(path.filename().string()) && ::unlink(path.c_str()) != 0) {
            return folder_failure(options_.folder, std::generic_category().message(errno));
        }
    }
    return error ? Result<void>{folder_failure(options_.folder, error.message())} : Result<void>{};
}

Result<IncomingFile> Shelf::incoming() {
    return IncomingFile::create(options_.folder /
                                (std::string{incoming_prefix} + std::to_string(++incoming_)));
}

Result<ContentPtr> Shelf::keep(IncomingFile file) {
    Content made{.sha256 = file.sha256(), .bytes = file.bytes()};
    if (const auto found = places_.find(made.sha256); found != places_.end()) {
        auto content = found->second->content;
        use(*content);
        return content;
    }
    made.path = options_.folder / made.sha256;
    if (auto moved = file.move_to(made.path); !moved) {
        return pass(moved);
    }
    auto content = std::make_shared<const Content>(std::move(made));
    items_.push_back({content, clock_.steady_now()});
    places_.emplace(content->sha256, std::prev(items_.end()));
    bytes_ += room_of(content->bytes);
    return content;
}

void Shelf::use(const Content& content) {
    const auto found = places_.find(content.sha256);
    invariant(found != places_.end(), "what is held is on the shelf");
    found->second->last_used = clock_.steady_now();
    items_.splice(items_.end(), items_, found->second);
}

bool Shelf::is_due(const Item& item) const {
    return item.last_used + options_.kept_for <= clock_.steady_now() ||
           items_.size() > options_.files_max;
}

std::uint64_t Shelf::room_of(std::uint64_t bytes) noexcept {
    return std::max<std::uint64_t>(1, (bytes + block - 1) / block) * block;
}

std::size_t Shelf::tidy() {
    const auto before = removed_total_;
    std::size_t left = items_.size();
    for (auto place = items_.begin(); left > 0 && is_due(*place); --left) {
        const auto next = std::next(place);
        if (!remove(place)) {
            use(*place->content);  // In use this moment.
        }
        place = next;
    }
    return removed_total_ - before;
}

std::size_t Shelf::clear() {
    const auto before = removed_total_;
    for (auto place = items_.begin(); place != items_.end();) {
        const auto next = std::next(place);
        static_cast<void>(remove(place));
        place = next;
    }
    return removed_total_ - before;
}

bool Shelf::make_room(std::uint64_t bytes) {
    for (auto place = items_.begin(); place != items_.end() && bytes_ + bytes > bytes_max();) {
        const auto next = std::next(place);
        static_cast<void>(remove(place));
        place = next;
    }
    return bytes_ + bytes <= bytes_max();
}

/// Only this thread makes new holders out of ours, so a count of one stays one.
bool Shelf::remove(Place place) {
    const auto& content = place->content;
    if (content.use_count() > 1) {
        return false;
    }
    ::unlink(content->path.c_str());
    ++removed_total_;
    bytes_ -= room_of(content->bytes);
    places_.erase(content->sha256);
    items_.erase(place);
    return true;
}

}  // namespace merpati::media
