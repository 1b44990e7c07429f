/* The likely meaning of a misspelt word: the nearest of the words that exist. */
#ifndef BO_SUGGEST_H
#define BO_SUGGEST_H

/*
 * Offer every word that exists, then read the suggestion:
 *
 *     struct bo_suggestion s = bo_suggest("stlye");
 *     for each word: bo_suggest_offer(&s, word);
 *     printf("no option '%s'%s\n", s.word, bo_suggestion_text(&s)); // " (did you mean 'style'?)"
 */
struct bo_suggestion {
    const char *word;  /* as the user gave it */
    const char *best;  /* the nearest word offered, the first one of equals; NULL: none is near */
    unsigned distance; /* of best: insertions, deletions, substitutions, swaps of neighbours */
    char text[128];
};

struct bo_suggestion bo_suggest(const char *word);

/* `candidate` may be NULL; otherwise it must live as long as the suggestion. */
void bo_suggest_offer(struct bo_suggestion *suggestion, const char *candidate);

/* " (did you mean 'X'?)", or "" when no word is near. */
const char *bo_suggestion_text(struct bo_suggestion *suggestion);

#endif
