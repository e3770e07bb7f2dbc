/* archive_match.h - do two archives, or an archive and a run, belong together?
 *
 * Flow: facts of two -> *match* -> merge, append, resume: or the one difference, in words for a message.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_MATCH_H
#define PHI3SAT_ARCHIVE_ARCHIVE_MATCH_H

#include "archive_facts.h"

#define ARCHIVE_MATCH_WORDS 256

/* True when `a` and `b` are the same model run in the same way, so that their states may be added: all facts but
 * those of the prompts are equal, and the criteria: a file that was judged otherwise would be judged anew in
 * silence. Else `words` says what differs, a's side first: "context_used 400, not 300". Layers' fingerprints
 * may be NULL; then they are not compared. */
bool archive_match(const struct archive_facts *a, const struct archive_facts *b, char words[ARCHIVE_MATCH_WORDS]);

#endif
