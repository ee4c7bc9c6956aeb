#include "store/conformance/store_fixture.hpp"

#include <cstdlib>

#include "store/conformance/repeating_store.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"
#include "store/sqlite/sqlite_engine_fixture.hpp"

namespace merpati::store {

std::vector<Engine> engines() {
    return {sqlite::engine(), postgres::engine()};
}

std::vector<Engine> engines_and_cuts() {
    return {sqlite::engine(), postgres::engine(), postgres::engine_that_is_cut()};
}

std::vector<Engine> engines_by_damage() {
    return {sqlite::engine(), sqlite::engine_that_fails_to_read()};
}

std::string name_of(const ::testing::TestParamInfo<Engine>& info) {
    return info.param.name;
}

TemporaryDirectory::TemporaryDirectory() {
    auto pattern = (std::filesystem::temp_directory_path() / "merpati-store-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

StoreTest::StoreTest() {
    open();
    account = first_account_ = create_account();
}

void StoreTest::reopen() {
    store.reset();
    open();
}

void StoreTest::open() {
    auto opened = take(open_store(options));
    if (GetParam().wrap) {
        opened = GetParam().wrap(std::move(opened));
    }
    store = std::make_unique<RepeatingStore>(std::move(opened), is_repeated);
}

void StoreTest::write(WriteBatch& batch) {
    for (const auto& accept : batch.accepts) {
        EXPECT_TRUE(add_device(
            {.number = accept.message->device, .account = accept.message->account}, false));
    }
    write_as_it_is(batch);
}

Result<DeviceDecision> StoreTest::add_device(const model::Device& made, bool webhook_given) {
    Result<DeviceDecision> decision;
    const auto added = change([&](Tables& tables) -> Result<void> {
        decision = tables.add_device(made, webhook_given);
        return decision ? Result<void>{} : pass(decision);
    });
    return added ? decision : Result<DeviceDecision>{pass(added)};
}

model::PhoneNumber StoreTest::device_of(model::AccountId owner) const {
    return owner == first_account_ ? device
                                   : model::PhoneNumber::from_stored(6281200000000 + owner.value);
}

void StoreTest::write_as_it_is(WriteBatch& batch) {
    const auto written = store->write(batch);
    ASSERT_TRUE(written) << written.error().describe();
}

Result<void> StoreTest::change(std::move_only_function<Result<void>(Tables&)> run) {
    WriteBatch batch;
    batch.changes.push_back({.run = std::move(run)});
    write_as_it_is(batch);
    return std::move(batch.changes.front().result);
}

Result<void> StoreTest::change_once(std::move_only_function<Result<void>(Tables&)> run) {
    is_repeated = false;
    auto changed = change(std::move(run));
    is_repeated = true;
    return changed;
}

std::unique_ptr<Reader> StoreTest::reader() {
    return take(store->open_reader());
}

model::AccountId StoreTest::create_account(std::optional<std::int64_t> credit) {
    model::AccountId id;
    const auto created = change([&](Tables& tables) -> Result<void> {
        model::Account made;
        made.name = "Toko Budi";
        made.credit = credit;
        made.webhook_secret = Bytes(32, std::byte{0x5a});
        made.created_at = clock.now();
        id = take(tables.create_account(made));
        return {};
    });
    EXPECT_TRUE(created);
    return id;
}

std::optional<std::int64_t> StoreTest::credit_of(model::AccountId id) {
    const auto found = take(reader()->account(id));
    EXPECT_TRUE(found);
    return found ? found->credit : std::nullopt;
}

std::unique_ptr<model::Message> StoreTest::message() {
    return message_due(clock.now());
}

std::unique_ptr<model::Message> StoreTest::message_due(Timestamp due_at) {
    auto made = std::make_unique<model::Message>();
    made->id = ids.next();
    made->account = account;
    made->device = device_of(account);
    made->recipient = "6281234567890";
    made->body = "Halo";
    made->callback_url = "https://example.com/status";
    made->accepted_at = clock.now();
    made->due_at = due_at;
    return made;
}

Accept::Result StoreTest::accept(model::Message& message) {
    WriteBatch batch;
    batch.accepts.push_back({.message = std::make_unique<model::Message>(message)});
    write(batch);
    message.charged = batch.accepts.front().message->charged;
    return batch.accepts.front().result;
}

model::Message StoreTest::accepted() {
    return accepted_due(clock.now());
}

model::Message StoreTest::accepted_due(Timestamp due_at) {
    auto made = *message_due(due_at);
    EXPECT_EQ(accept(made), Accept::Result::stored);
    return made;
}

Finish StoreTest::finish_of(const model::Message& message, model::MessageState state) {
    const bool sent = state == model::MessageState::sent;
    return {.message = std::make_unique<model::Message>(message),
            .queued_at = message.due_at,
            .completion = {.state = state,
                           .code = sent ? model::StatusCode::sent : model::StatusCode::failed,
                           .details = sent ? "Success" : "the platform refused it",
                           .platform_id = sent ? "3EB0F1" : "",
                           .finished_at = clock.now(),
                           .attempts = 1}};
}

bool StoreTest::finish(Finish finish) {
    WriteBatch batch;
    batch.finishes.push_back(std::move(finish));
    write(batch);
    return batch.finishes.front().finished;
}

model::Callback StoreTest::callback_for(const model::Message& message, std::int64_t origin) {
    return {.id = ids.next(),
            .account = message.account,
            .kind = model::CallbackKind::message_status,
            .message = message.id,
            .url = message.callback_url,
            .origin_key = origin,
            .body = R"({"status":"sent"})",
            .created_at = clock.now()};
}

model::Callback StoreTest::finished_with_callback(std::int64_t origin) {
    const auto made = accepted();
    auto ending = finish_of(made);
    const auto callback = callback_for(made, origin);
    ending.callback = callback;
    EXPECT_TRUE(finish(std::move(ending)));
    return callback;
}

std::vector<model::Callback> StoreTest::finished_together(std::size_t count) {
    std::vector<model::Message> made;
    for (std::size_t place = 0; place < count; ++place) {
        made.push_back(accepted());
    }
    WriteBatch ending;
    std::vector<model::Callback> callbacks;
    for (const auto& one : made) {
        callbacks.push_back(callback_for(one));
        ending.finishes.push_back(finish_of(one));
        ending.finishes.back().callback = callbacks.back();
    }
    write(ending);
    return callbacks;
}

void StoreTest::update(model::EventId event, const model::CallbackProgress& progress) {
    WriteBatch batch;
    batch.callback_updates.push_back({.event = event, .progress = progress});
    write(batch);
}

std::vector<model::MessageId> StoreTest::lane_before(Timestamp before, std::size_t limit) {
    std::vector<model::MessageId> found;
    for (const auto& queued :
         take(reader()->load_lane(device_of(account), model::Source::api, before, limit,
                                  [](const Uuid&) { return false; }))) {
        found.push_back(queued.message->id);
    }
    return found;
}

}  // namespace merpati::store
