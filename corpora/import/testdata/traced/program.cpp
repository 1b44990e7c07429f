// Names that are hard to split: operators, characters, comparisons, lambdas, and a partial
// specialisation that is chosen late, so that an End's origin is not its Begin's.
#include <utility>

namespace outer {
namespace {
template <class T, char Sign = ','> struct Holder {
    T value;
    T *operator->() { return &value; }
    template <class U> bool operator<(const Holder<U, Sign> &other) const {
        return value < other.value;
    }
    template <class U> Holder operator<<(U shift) const { return {value << shift}; }
};
} // namespace

template <unsigned N, bool = (N > 2)> struct Count {
    static constexpr unsigned value = 1 + Count<N - 1>::value;
};
template <unsigned N> struct Count<N, false> { static constexpr unsigned value = N; };
} // namespace outer

int main() {
    using namespace outer;
    Holder<int, '<'> small{1};
    Holder<std::pair<int, const char *>, '\''> pair{{1, "a"}};
    const auto less = [](auto a, auto b) { return a < b; };
    return less(small, small << 2) + pair->first + static_cast<int>(Count<5>::value);
}
