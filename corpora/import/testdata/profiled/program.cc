// A C++ program to be built with -fprofile-instr-generate: templates, overloads, lambdas, a local
// class, operators and an unnamed namespace, for names of every make. Prints a checksum.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace
{

template <class T, int N> struct ring {
    T items[N] = {};
    int at = 0;
    T &operator[](int i)
    {
        return items[(at + i) % N];
    }
    void push(const T &item)
    {
        items[at] = item;
        at = (at + 1) % N;
    }
};

template <class T> std::size_t weigh(const T &x)
{
    return sizeof x;
}
template <> std::size_t weigh(const std::string &s)
{
    return s.size();
}

template <class Key, class Visit> void each(const std::map<Key, int> &all, Visit visit)
{
    for (const auto &entry : all)
        visit(entry.first, entry.second);
}

std::size_t never_called(std::vector<std::vector<int>> all)
{
    return all.empty() ? 0 : all[0].size();
}

} // namespace

int main(int argc, char **)
{
    struct local {
        static int twice(int x)
        {
            return x < 0 ? 0 : 2 * x;
        }
    };
    ring<std::string, 3> words;
    ring<double, 5> numbers;
    std::map<std::string, int> counts;
    for (int i = 0; i < 200; i++) {
        const std::string word(1 + i % 7, static_cast<char>('a' + i % 26));
        words.push(word);
        numbers.push(local::twice(i));
        counts[word] += i;
    }
    std::size_t sum = weigh(words[0]) + weigh(numbers[0]);
    each(counts, [&](const std::string &word, int n) { sum += weigh(word) * n; });
    each(std::map<int, int>{{1, 2}}, [&](int key, int n) { sum += key + n; });
    if (argc > 99)
        sum += never_called({{1}});
    return std::printf("%zu\n", sum) < 0;
}
