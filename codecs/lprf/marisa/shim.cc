// libmarisa behind a C interface.
#include <marisa.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <sstream>
#include <string>

extern "C" {
#include "codecs/lprf/marisa/shim.h"
}

struct lprf_marisa_builder {
    marisa::Keyset names;
    std::string bytes;
};

struct lprf_marisa {
    marisa::Trie trie;
    marisa::Agent agent;
};

namespace
{

// Runs the library's code, whose exceptions end here.
template <typename Action> lprf_marisa_status guarded(Action action)
{
    try {
        action();
        return LPRF_MARISA_OK;
    } catch (const std::bad_alloc &) {
        return LPRF_MARISA_NO_MEMORY;
    } catch (const marisa::Exception &e) {
        return e.error_code() == MARISA_MEMORY_ERROR ? LPRF_MARISA_NO_MEMORY : LPRF_MARISA_REFUSED;
    }
}

const char *text(const uint8_t *p)
{
    return reinterpret_cast<const char *>(p);
}

} // namespace

lprf_marisa_builder *lprf_marisa_begin_build(void)
{
    return new (std::nothrow) lprf_marisa_builder;
}

lprf_marisa_status lprf_marisa_add(lprf_marisa_builder *builder, const uint8_t *name, size_t nbytes)
{
    return guarded([=] { builder->names.push_back(text(name), nbytes); });
}

lprf_marisa_status lprf_marisa_build(lprf_marisa_builder *builder, const uint8_t **p_ret,
                                     size_t *nbytes_ret, uint32_t *n_names_ret)
{
    return guarded([=] {
        marisa::Trie trie;
        std::ostringstream bytes;
        trie.build(builder->names);
        bytes << trie;
        builder->bytes = bytes.str();
        *p_ret = reinterpret_cast<const uint8_t *>(builder->bytes.data());
        *nbytes_ret = builder->bytes.size();
        *n_names_ret = static_cast<uint32_t>(trie.num_keys());
    });
}

uint32_t lprf_marisa_id(const lprf_marisa_builder *builder, size_t i)
{
    return static_cast<uint32_t>(builder->names[i].id());
}

void lprf_marisa_end_build(lprf_marisa_builder *builder)
{
    delete builder;
}

lprf_marisa_status lprf_marisa_open(const void *p, size_t nbytes, lprf_marisa **trie_ret,
                                    uint32_t *n_names_ret)
{
    lprf_marisa *trie = new (std::nothrow) lprf_marisa;
    if (!trie)
        return LPRF_MARISA_NO_MEMORY;
    const lprf_marisa_status status = guarded([=] {
        trie->trie.map(p, nbytes);
        *n_names_ret = static_cast<uint32_t>(trie->trie.num_keys());
    });
    if (status)
        delete trie;
    else
        *trie_ret = trie;
    return status;
}

void lprf_marisa_close(void *trie)
{
    delete static_cast<lprf_marisa *>(trie);
}

lprf_marisa_status lprf_marisa_find(lprf_marisa *trie, const uint8_t *name, size_t nbytes,
                                    bool *found_ret, uint32_t *id_ret)
{
    return guarded([=] {
        trie->agent.set_query(text(name), nbytes);
        *found_ret = trie->trie.lookup(trie->agent);
        *id_ret = *found_ret ? static_cast<uint32_t>(trie->agent.key().id()) : 0;
    });
}

lprf_marisa_status lprf_marisa_spell(lprf_marisa *trie, uint32_t id, const uint8_t **p_ret,
                                     size_t *nbytes_ret)
{
    return guarded([=] {
        trie->agent.set_query(static_cast<std::size_t>(id));
        trie->trie.reverse_lookup(trie->agent);
        *p_ret = reinterpret_cast<const uint8_t *>(trie->agent.key().ptr());
        *nbytes_ret = trie->agent.key().length();
    });
}
