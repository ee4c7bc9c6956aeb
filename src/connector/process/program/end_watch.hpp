// Notices at once that a program may have ended.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace merpati::connector::process {

/// Threads: that of the io_context. Lives until its last handler has run (shared_ptr); after
/// `close` nothing is called.
class EndWatch : public std::enable_shared_from_this<EndWatch> {
public:
    /// Takes ownership of `end` (Running::take_end). `on_news` is called again and again until the
    /// callee reads what is readable, or calls `close`.
    EndWatch(const boost::asio::io_context::executor_type& executor, int end,
             std::function<void()> on_news)
        : end_(executor, end), on_news_(std::move(on_news)) {}

    void start();
    void close();

private:
    boost::asio::posix::stream_descriptor end_;
    std::function<void()> on_news_;
    bool closed_ = false;
};

}  // namespace merpati::connector::process
