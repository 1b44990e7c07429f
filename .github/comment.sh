#!/usr/bin/env bash
# The comment on a pull request: comment.sh OLD.json NEW.json [OLD.json NEW.json...], pairs of results, one a
# format. Prints Markdown; exits with 1 when something is worse, 2 when there is nothing to compare.
set -u
bakeoff=${BAKEOFF:-build/bakeoff}
most=60000 # characters; a comment has room for 65536
text=$(mktemp)
trap 'rm -f "$text" "$text".*' EXIT
(($# > 0 && $# % 2 == 0)) || { echo "comment.sh: takes pairs of results" >&2; exit 2; }
code=0
while (($#)); do
    "$bakeoff" compare --style md "$1" "$2" >"$text.one"
    case $? in
    0) ;;
    1) code=1 ;;
    *) exit 2 ;;
    esac
    cat "$text.one" >>"$text"
    shift 2
done
if ((code)); then
    verdict='**something is worse**'
else
    verdict='nothing is worse'
fi
echo "### Codecs, before and after this change: $verdict"
echo
echo "Times by Mann-Whitney's test with Holm's correction, reported from 5% on; sizes, memory and pages exactly."
head -c "$most" "$text"
if (($(wc -c <"$text") > most)); then
    printf '\n\nThe rest does not fit into a comment; it is in the artefact.\n'
fi
exit $code
