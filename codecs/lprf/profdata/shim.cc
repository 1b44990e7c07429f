// LLVM's InstrProfWriter and IndexedInstrProfReader behind a C interface.
#include "codecs/lprf/profdata/shim.h"

#include <llvm/ProfileData/InstrProfReader.h>
#include <llvm/ProfileData/InstrProfWriter.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <vector>

using llvm::IndexedInstrProfReader;
using llvm::instrprof_error;
using llvm::InstrProfError;
using llvm::StringRef;

struct lprf_profdata_writer {
    llvm::InstrProfWriter writer;
    std::unique_ptr<llvm::MemoryBuffer> file;
};

struct lprf_profdata_reader {
    StringRef bytes;
    std::unique_ptr<IndexedInstrProfReader> by_key;
    // The same table without the reader, which does not let its callers ask for a name alone.
    std::unique_ptr<llvm::OnDiskHashTableImplV3> by_name;
    llvm::InstrProfRecord found;
    std::unique_ptr<IndexedInstrProfReader> all; // is read once, from start to end
    llvm::NamedInstrProfRecord next;
};

namespace
{

StringRef text(const uint8_t *p, size_t n)
{
    return StringRef(reinterpret_cast<const char *>(p), n);
}

std::unique_ptr<IndexedInstrProfReader> make_reader(StringRef bytes)
{
    auto reader = IndexedInstrProfReader::create(
        llvm::MemoryBuffer::getMemBuffer(bytes, "", /*RequiresNullTerminator=*/false));
    if (reader)
        return std::move(*reader);
    llvm::consumeError(reader.takeError());
    return nullptr;
}

// As IndexedInstrProfReader finds its table. It has looked at the header before.
std::unique_ptr<llvm::OnDiskHashTableImplV3> open_table(StringRef bytes, uint64_t version)
{
    const unsigned char *start = bytes.bytes_begin();
    const auto field = [=](size_t offset) {
        return llvm::support::endian::read64le(start + offset);
    };
    using Header = llvm::IndexedInstrProf::Header;
    const uint64_t table_off = field(offsetof(Header, HashOffset));
    const auto hash_type =
        static_cast<llvm::IndexedInstrProf::HashT>(field(offsetof(Header, HashType)));
    return std::unique_ptr<llvm::OnDiskHashTableImplV3>(llvm::OnDiskHashTableImplV3::Create(
        start + table_off, start + sizeof(Header), start,
        llvm::InstrProfLookupTrait(hash_type, static_cast<unsigned>(version))));
}

void tell(StringRef name, uint64_t hash, const std::vector<uint64_t> &counters,
          lprf_profdata_function *function)
{
    function->name = name.bytes_begin();
    function->name_nbytes = name.size();
    function->hash = hash;
    function->counters = counters.data();
    function->n_counters = counters.size();
}

lprf_profdata_status status_of(llvm::Error error)
{
    switch (InstrProfError::take(std::move(error))) {
    case instrprof_error::success:
        return LPRF_PROFDATA_OK;
    case instrprof_error::eof:
    case instrprof_error::unknown_function:
    case instrprof_error::hash_mismatch:
        return LPRF_PROFDATA_NONE;
    default:
        return LPRF_PROFDATA_MALFORMED;
    }
}

} // namespace

// ---- writing ------------------------------------------------------------------------------------

lprf_profdata_writer *lprf_profdata_begin_write(void)
{
    auto *writer = new lprf_profdata_writer;
    llvm::consumeError(writer->writer.mergeProfileKind(llvm::InstrProfKind::FE));
    return writer;
}

void lprf_profdata_add(lprf_profdata_writer *writer, const lprf_profdata_function *function)
{
    std::vector<uint64_t> counters(function->counters, function->counters + function->n_counters);
    writer->writer.addRecord(
        {text(function->name, function->name_nbytes), function->hash, std::move(counters)},
        [](llvm::Error warning) { llvm::consumeError(std::move(warning)); });
}

void lprf_profdata_write(lprf_profdata_writer *writer, const uint8_t **p_ret, size_t *nbytes_ret)
{
    writer->file = writer->writer.writeBuffer();
    *p_ret = reinterpret_cast<const uint8_t *>(writer->file->getBufferStart());
    *nbytes_ret = writer->file->getBufferSize();
}

void lprf_profdata_end_write(lprf_profdata_writer *writer)
{
    delete writer;
}

// ---- reading ------------------------------------------------------------------------------------

lprf_profdata_reader *lprf_profdata_open(const uint8_t *p, size_t nbytes)
{
    auto reader = std::make_unique<lprf_profdata_reader>();
    reader->bytes = text(p, nbytes);
    reader->by_key = make_reader(reader->bytes);
    if (!reader->by_key)
        return nullptr;
    reader->by_name = open_table(reader->bytes, reader->by_key->getVersion());
    return reader.release();
}

void lprf_profdata_close(void *reader)
{
    delete static_cast<lprf_profdata_reader *>(reader);
}

uint64_t lprf_profdata_maximum(lprf_profdata_reader *reader)
{
    return reader->by_key->getMaximumFunctionCount(/*UseCS=*/false);
}

bool lprf_profdata_contains(lprf_profdata_reader *reader, const uint8_t *name, size_t nbytes)
{
    return reader->by_name->find(text(name, nbytes)) != reader->by_name->end();
}

lprf_profdata_status lprf_profdata_find_name(lprf_profdata_reader *reader, const uint8_t *name,
                                             size_t nbytes, lprf_profdata_function *function_ret)
{
    const auto found = reader->by_name->find(text(name, nbytes));
    if (found == reader->by_name->end())
        return LPRF_PROFDATA_NONE;
    const llvm::ArrayRef<llvm::NamedInstrProfRecord> records = *found;
    const llvm::NamedInstrProfRecord *lowest = nullptr;
    for (const llvm::NamedInstrProfRecord &record : records)
        if (!lowest || record.Hash < lowest->Hash)
            lowest = &record;
    if (!lowest)
        return LPRF_PROFDATA_MALFORMED;
    tell(lowest->Name, lowest->Hash, lowest->Counts, function_ret);
    return LPRF_PROFDATA_OK;
}

lprf_profdata_status lprf_profdata_find_key(lprf_profdata_reader *reader, const uint8_t *name,
                                            size_t nbytes, uint64_t hash,
                                            lprf_profdata_function *function_ret)
{
    auto record = reader->by_key->getInstrProfRecord(text(name, nbytes), hash);
    if (!record)
        return status_of(record.takeError());
    reader->found = std::move(*record);
    tell(text(name, nbytes), hash, reader->found.Counts, function_ret);
    return LPRF_PROFDATA_OK;
}

bool lprf_profdata_rewind(lprf_profdata_reader *reader)
{
    reader->all = make_reader(reader->bytes);
    return reader->all != nullptr;
}

lprf_profdata_status lprf_profdata_next(lprf_profdata_reader *reader,
                                        lprf_profdata_function *function_ret)
{
    const lprf_profdata_status status = status_of(reader->all->readNextRecord(reader->next));
    if (status == LPRF_PROFDATA_OK)
        tell(reader->next.Name, reader->next.Hash, reader->next.Counts, function_ret);
    return status;
}
