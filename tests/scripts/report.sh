#!/bin/sh
# tenon report: one page that needs nothing beside itself and says what the run was.
#   report.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"
count() { grep -oF -- "$2" "$1" | wc -l; }

four=$source/examples/four-bar/n_four_bar.yaml
expect 0 "$tenon" run "$four" --quiet --output four.h5 --until 1 --set N=3
expect 0 "$tenon" report four.h5
says err "wrote four-report.html"
for word in "Motion" "Signals" "Energy balance" "Constraint violation" "Step sizes" "The model" \
  "Solver" "Where this comes from" "rod0.top.position" "position [m]" "prefers-color-scheme"; do
  says four-report.html "$word"
done
# the model is the one that ran, with the parameter that was replaced: 7 bodies, not 5
says four-report.html "bodies     7"
says four-report.html "accepted steps"
# nothing from elsewhere, nothing that runs
for word in "<script" "<link" "src=" "href=" "@import" "url("; do
  ! grep -qF -- "$word" four-report.html || problem "the page has $word"
done
[ "$(grep -o 'http[s]*://[^"]*' four-report.html | sort -u)" = "http://www.w3.org/2000/svg" ] ||
  problem "the page has addresses"
for tag in svg pre table figure h2 title text; do
  [ "$(count four-report.html "<$tag")" = "$(count four-report.html "</$tag>")" ] || problem "<$tag> is not closed"
done
# the same results give the same page
cp four-report.html first.html
expect 0 "$tenon" report four.h5 --quiet
[ ! -s err ] || problem "--quiet is not quiet"
cmp first.html four-report.html || problem "two pages of one run differ"

expect 0 "$tenon" report four.h5 --html chosen.html --plot 'rod1.angular_velocity.z' --plot energy
says chosen.html "rod1.angular_velocity.z"
! grep -qF "rod0.top.position</text>" chosen.html || problem "--plot did not choose"

# the animation is inside as well
expect 0 "$tenon" report four.h5 --html view.html --view
[ "$(count view.html "<iframe")" = 1 ] && [ "$(count view.html "</iframe>")" = 1 ] ||
  problem "no view in the page"
[ "$(wc -c < view.html)" -gt 500000 ] || problem "the view is missing"
(TENON_BROWSER=no-such-browser expect 3 "$tenon" report four.h5 --html pictures.html --pictures
 says err "need Chromium"; exit "$failed") || failed=1
[ ! -e pictures.html ] || problem "a page without its pictures was left"

# names that need escaping
cat > odd.yaml <<END
tenon: 1
title: "a < b & \"c\""
bodies: {"<b>": {mass: 1, shape: {sphere: 0.1}, velocity: [1, 0, 0]}}
analysis: {until: 0.1}
END
expect 0 "$tenon" run odd.yaml --quiet
expect 0 "$tenon" report odd.h5
says odd-report.html "a &lt; b &amp; &quot;c&quot;"
! grep -qF "<b>.position" odd-report.html || problem "a name was not escaped"

# a run that was killed has no summary, and still a page
sed 's/until: 10/until: 1e5/' "$four" > long.yaml
"$tenon" run long.yaml --quiet --output killed.h5 --every 0.01 &
pid=$!
sleep 2
kill -9 $pid
wait $pid 2> /dev/null || :
expect 0 "$tenon" report killed.h5
says killed-report.html "running"
says killed-report.html "no summary yet"

# a structure: the largest stress and where it is, as the CSV has them; no curve over one instant
expect 0 "$tenon" run "$source/examples/structures/bracket.yaml" --quiet --output bracket.h5
expect 0 "$tenon" report bracket.h5
most=$("$tenon" export bracket.h5 --csv - --group '*' von_mises |
       awk -F, 'NR > 1 && $7 > m { m = $7; n = $3 } END { printf "<td>%.5g</td><td>node %d (", m, n }')
says bracket-report.html "$most"
says bracket-report.html "<td>displacement</td>"
! grep -q "Energy balance" bracket-report.html || problem "a curve over one instant"

# wrong arguments leave nothing
rm -f ./*.html
expect 2 "$tenon" report
says err "no results file given"
expect 2 "$tenon" report four.h5 odd.h5
says err "one results file"
expect 2 "$tenon" report four.h5 --plot rod0.postion
says err "did you mean 'rod0.position'?"
expect 2 "$tenon" report four.h5 --pdf x
says err "unknown option '--pdf'"
expect 2 "$tenon" report none.h5
says err "none.h5"
expect 3 "$tenon" report four.h5 --html no/such/x.html
says err "cannot write 'no/such/x.html': No such file or directory"
! ls ./*.html ./*.part > /dev/null 2>&1 || problem "wrong arguments left files: $(ls)"
exit $failed
