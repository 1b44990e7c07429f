// LLVM's reader of indexed profiles behind a C interface.
#include "examples/llvm-reader/shim.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ProfileData/InstrProfReader.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

using llvm::IndexedInstrProfReader;
using llvm::StringRef;

const char llvm_summary[] = "the same bytes, read by libLLVM " LLVM_VERSION_STRING;

struct llvm_reader {
    StringRef bytes;
    std::unique_ptr<IndexedInstrProfReader> profile;
    std::vector<uint64_t> counters; // of the last lookup, or of all functions
    std::vector<llvm_function> functions;
};

namespace
{

std::unique_ptr<IndexedInstrProfReader> open_profile(StringRef bytes)
{
    auto opened =
        IndexedInstrProfReader::create(llvm::MemoryBuffer::getMemBuffer(bytes, "", false));
    if (opened)
        return std::move(*opened);
    llvm::consumeError(opened.takeError());
    return nullptr;
}

StringRef text(const uint8_t *p, size_t nbytes)
{
    return StringRef(reinterpret_cast<const char *>(p), nbytes);
}

} // namespace

llvm_reader *llvm_open(const uint8_t *p, size_t nbytes)
{
    auto profile = open_profile(text(p, nbytes));
    return profile ? new llvm_reader{text(p, nbytes), std::move(profile), {}, {}} : nullptr;
}

void llvm_close(void *reader)
{
    delete static_cast<llvm_reader *>(reader);
}

size_t llvm_find(llvm_reader *reader, const uint8_t *name, size_t name_nbytes, uint64_t hash,
                 const uint64_t **counters_ret)
{
    reader->counters.clear();
    if (llvm::Error error =
            reader->profile->getFunctionCounts(text(name, name_nbytes), hash, reader->counters)) {
        llvm::consumeError(std::move(error));
        return 0;
    }
    *counters_ret = reader->counters.data();
    return reader->counters.size();
}

uint64_t llvm_maximum(llvm_reader *reader)
{
    return reader->profile->getMaximumFunctionCount(false);
}

bool llvm_read_all(llvm_reader *reader, const llvm_function **functions_ret, size_t *n_ret)
{
    const auto profile = open_profile(reader->bytes); // a reader iterates once
    auto &functions = reader->functions;
    auto &counters = reader->counters;
    functions.clear();
    counters.clear();
    if (!profile)
        return false;
    for (const auto &record : *profile) {
        functions.push_back({reinterpret_cast<const uint8_t *>(record.Name.data()),
                             record.Name.size(), record.Hash, nullptr, record.Counts.size()});
        counters.insert(counters.end(), record.Counts.begin(), record.Counts.end());
    }
    if (profile->hasError())
        return false;
    const uint64_t *next = counters.data();
    for (auto &function : functions) {
        function.counters = next;
        next += function.n_counters;
    }
    std::sort(functions.begin(), functions.end(), [](const auto &a, const auto &b) {
        const int order = text(a.name, a.name_nbytes).compare(text(b.name, b.name_nbytes));
        return order ? order < 0 : a.hash < b.hash;
    });
    *functions_ret = functions.data();
    *n_ret = functions.size();
    return true;
}
