/*
 * Held-out documents whose digests are in git: proof that a document was chosen before a codec was
 * tuned, and that it is the same one. corpora/held-out.json is like manifest.json; each entry has
 * the day of its sealing and the SHA-256 of the document's canonical text form.
 */
#ifndef BO_SEALED_H
#define BO_SEALED_H

#include "corpora/documents.h"

/*
 * Finds the loaded documents that are held out in corpora/held-out.json, by format and name, and
 * stores the day when each was sealed. For others it stays "", and a note is printed. False after a
 * message when a document has another digest than its entry, or the file cannot be read. Without
 * the file, nothing is sealed.
 */
bool bo_documents_check_sealed(struct bo_documents *documents);

#endif
