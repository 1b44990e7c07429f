// A few templates of one's own, and std::tuple: a trace that is small, and real.
#include <tuple>

namespace {
template <unsigned N> struct Fibonacci {
    static constexpr unsigned value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<0> { static constexpr unsigned value = 0; };
template <> struct Fibonacci<1> { static constexpr unsigned value = 1; };

template <class T, char Separator = ','> struct Printer {
    T value;
    template <class U> bool operator<(const Printer<U, Separator> &other) const {
        return value < other.value;
    }
};
} // namespace

int main() {
    const std::tuple<int, char, Printer<long>> t{1, 'a', {2}};
    const Printer<int, '<'> p{3};
    const auto smaller = [](auto a, auto b) { return a < b; };
    return std::get<0>(t) + smaller(p, p) + static_cast<int>(Fibonacci<10>::value);
}
