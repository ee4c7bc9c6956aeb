#include "connector/process/program/end_watch.hpp"

namespace merpati::connector::process {

namespace asio = boost::asio;

void EndWatch::start() {
    end_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                        if (error || self->closed_) {
                            return;
                        }
                        self->on_news_();
                        if (!self->closed_) {
                            self->start();
                        }
                    });
}

void EndWatch::close() {
    closed_ = true;
    boost::system::error_code ignored;
    end_.close(ignored);
}

}  // namespace merpati::connector::process
