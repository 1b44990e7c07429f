/* A suggestion for a misspelt word: the nearest existing word. */
#ifndef BO_SUGGEST_H
#define BO_SUGGEST_H

/*
 * Offer every existing word, then read the suggestion:
 *
 *     struct bo_suggestion s = bo_suggest("stlye");
 *     for each word: bo_suggest_offer(&s, word);
 *     printf("no option '%s'%s\n", s.word, bo_suggestion_text(&s)); // " (did you mean 'style'?)"
 */
enum { BO_MAX_SUGGESTED = 64 }; /* longer words are never suggested */

struct bo_suggestion {
    const char *word;  /* as the user gave it */
    unsigned distance; /* edit distance of best */
    /* a copy of the nearest word offered, the first of equals; "" when no word is near */
    char best[BO_MAX_SUGGESTED + 1];
    char text[128];
};

struct bo_suggestion bo_suggest(const char *word);

/* `candidate` may be NULL. */
void bo_suggest_offer(struct bo_suggestion *suggestion, const char *candidate);

/* " (did you mean 'X'?)", or "" when no word is near. */
const char *bo_suggestion_text(struct bo_suggestion *suggestion);

#endif
