// Times of LLVM's own reader of indexed profiles: opening, lookups by name and hash, and reading
// everything. llvm_times.sh builds it with libLLVM 22.
#include <llvm/ProfileData/InstrProfReader.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

using llvm::IndexedInstrProfReader;
using llvm::MemoryBuffer;
using llvm::StringRef;

namespace
{

constexpr int N_REPETITIONS = 41;
constexpr int N_LOOKUPS = 20000;

double cpu_ns()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

std::unique_ptr<IndexedInstrProfReader> open_reader(StringRef bytes)
{
    return llvm::cantFail(
        IndexedInstrProfReader::create(MemoryBuffer::getMemBuffer(bytes, "", false)));
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const auto file = llvm::cantFail(llvm::errorOrToExpected(MemoryBuffer::getFile(argv[1])));
    const StringRef bytes = file->getBuffer();
    std::vector<std::pair<std::string, uint64_t>> keys;
    const auto all = open_reader(bytes);
    for (const auto &function : *all)
        keys.emplace_back(function.Name.str(), function.Hash);
    std::mt19937 random(1);
    std::vector<double> open_ns, lookup_ns, all_ns;
    uint64_t sum = 0; // of counters, so that no read is left out
    const auto reader = open_reader(bytes);
    for (int i = 0; i < N_REPETITIONS; i++) {
        double before = cpu_ns();
        open_reader(bytes);
        open_ns.push_back(cpu_ns() - before);
        std::vector<size_t> which(N_LOOKUPS);
        for (size_t &key : which)
            key = random() % keys.size();
        before = cpu_ns();
        for (const size_t key : which) {
            std::vector<uint64_t> counters;
            llvm::cantFail(reader->getFunctionCounts(keys[key].first, keys[key].second, counters));
            sum += counters[0];
        }
        lookup_ns.push_back((cpu_ns() - before) / N_LOOKUPS);
        before = cpu_ns();
        const auto once = open_reader(bytes);
        for (const auto &function : *once)
            sum += function.Counts[0];
        all_ns.push_back(cpu_ns() - before);
    }
    std::printf("%zu functions; open %.0f ns, lookup %.0f ns, read all %.0f us (sum %llu)\n",
                keys.size(), median(open_ns), median(lookup_ns), median(all_ns) / 1000,
                static_cast<unsigned long long>(sum));
}
