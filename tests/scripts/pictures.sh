#!/bin/sh
# Pictures, videos and pages of tenon view and tenon report: what the command asks of the browser and of ffmpeg, what it does with the answers,
# what it says when they fail. Stand-ins are asked (stand_in_browser.c): neither has to be installed. What the page draws is for tests/viewer.
#   pictures.sh build-dir source-dir
set -eu
. "$2/tests/scripts/common.sh"
export TENON_BROWSER="$1/tests/stand_in_browser" STAND_IN_LOG="$scratch/log" TMPDIR="$scratch/tmp"
mkdir tmp bin
PATH=$scratch/bin:$PATH
unset DISPLAY WAYLAND_DISPLAY || :
# ffmpeg: keeps what it gets, tells how it was called
cat > bin/ffmpeg <<'STUB'
#!/bin/sh
echo "$*" > "$scratch_dir/ffmpeg"
for last in "$@"; do :; done
cat > "$last"
exit ${ffmpeg_code:-0}
STUB
printf '#!/bin/sh\necho "$*" > "%s/opened"\n' "$scratch" > bin/xdg-open
chmod +x bin/*
export scratch_dir="$scratch"

expect 0 "$tenon" run "$source/examples/slider-crank/slider_crank.yaml" --quiet --output crank.h5
asked() { grep -qF -- "$1" log || problem "the browser was not asked '$1'"; }
clean() { [ -z "$(ls tmp)" ] || problem "left in the folder for temporary files: $(ls tmp)"; }
again() { rm -f log ffmpeg opened; rm -rf tmp/*; }

# a picture at a time, from a side, with layers
expect 0 "$tenon" view crank.h5 --png crank.png --time 0.25 --view front --show reactions,trails --size 320x180 --dark
says err "wrote crank.png"
[ "$(cat crank.png)" = "picture 1 png" ] || problem "the picture is '$(cat crank.png)'"
asked "--window-size=320,180"
asked '"width":320,"height":180'
asked "#play=0&theme=dark&t=0.25"
asked "tenon.prepare('front', 'reactions,trails', {color: '', scale: -1, clip: '', at: 0.5, side: 1})"
asked "tenon.still(0.25)"
asked '"format":"png"'
asked "--user-data-dir=$scratch/tmp/tenon-browser-"
clean
# without a time: the beginning; colours, cuts and factors reach the page
again
expect 0 "$tenon" view crank.h5 --png crank.png --color "von Mises stress" --scale 20 --clip=-z=0.25 --quiet
is_empty err
asked "{color: 'von Mises stress', scale: 20, clip: 'z', at: 0.25, side: -1}"
asked "tenon.still(0)"
asked "theme=light"

# 2 s of motion at the speed that the page has, 4, are half a second: 16 pictures; at a speed of 1 61
again
expect 0 "$tenon" view crank.h5 --video crank.mp4
says err "wrote crank.mp4"
[ "$(wc -l < crank.mp4)" = 16 ] || problem "$(wc -l < crank.mp4) pictures, want 16"
[ "$(sed -n 16p crank.mp4)" = "picture 16 jpeg" ] || problem "the last is '$(sed -n 16p crank.mp4)'"
asked "tenon.still(2)" # never beyond the end
! grep -q "tenon.still(2.0" log || problem "a picture beyond the end"
says ffmpeg "-f image2pipe -framerate 30 -c:v mjpeg -i -"
says ffmpeg "crank.mp4"
clean
again
expect 0 "$tenon" view crank.h5 --video crank.mp4 --speed 1 --png both.png --html both.html --quiet
[ "$(wc -l < crank.mp4)" = 61 ] || problem "$(wc -l < crank.mp4) pictures, want 61"
[ -s both.png ] && [ -s both.html ] || problem "one of three files is missing"
asked "tenon.still(0.0333333333)"
clean

# a page for the browser of the desktop
again
expect 0 env DISPLAY=:9 "$tenon" view crank.h5
page=$(sed 's|^file://||' out)
[ -s "$page" ] || problem "no page '$page'"
[ "$(cat opened)" = "file://$page" ] || problem "opened was '$(cat opened)'"
is_empty err
again
expect 0 "$tenon" view crank.h5
says err "no browser could be opened"
[ ! -e opened ] || problem "a browser without a screen"

# the report has three pictures in itself
again
expect 0 "$tenon" report crank.h5 --html report.html --pictures --quiet
[ "$(grep -oc 'data:image/png;base64,cGljdHVyZS' report.html)" -ge 1 ] || problem "no picture in the report"
asked "tenon.still("
clean

# what goes wrong: one line, exit code 3, no process and no file left
fails() { # what the stand-in does, what is said, arguments
  again
  how=$1
  text=$2
  shift 2
  expect 3 env STAND_IN="$how" "$tenon" view crank.h5 "$@"
  says err "$text"
  [ "$(wc -l < err)" = 1 ] || problem "$how: more than one line"
  [ ! -e bad.png ] && [ ! -e bad.mp4 ] || problem "$how: $(ls bad.*) is left"
  clean
}
fails dead "the browser could not show the page" --png bad.png
fails stops "the browser could not show the page" --png bad.png
fails never "the browser could not show the page" --png bad.png
fails complains "there is no such view" --png bad.png --view elsewhere
fails throws "cannot write 'bad.png'" --png bad.png
fails blind "cannot write 'bad.png'" --png bad.png
fails blind "cannot write 'bad.mp4'" --video bad.mp4
fails "" "cannot write 'no/such/bad.png'" --png no/such/bad.png
fails complains "there is no such view" --video bad.mp4 --view elsewhere
again
expect 3 env ffmpeg_code=1 "$tenon" view crank.h5 --video bad.mp4
says err "cannot write 'bad.mp4'"
[ ! -e bad.mp4 ] || problem "a video that is none is left"
clean
again
expect 3 env TENON_BROWSER=no-such-browser "$tenon" view crank.h5 --png bad.png
says err "need Chromium, which is not installed"
expect 3 env TMPDIR="$scratch/nowhere" "$tenon" view crank.h5 --png bad.png
says err "cannot make a folder in"
expect 3 env STAND_IN=blind "$tenon" report crank.h5 --html report.html --pictures
says err "the browser made no picture"
rm bin/ffmpeg
if ! command -v ffmpeg > /dev/null; then
  expect 3 "$tenon" view crank.h5 --video bad.mp4
  says err "videos need ffmpeg, which is not installed"
fi

# arguments that cannot be
for wrong in "--size 12" "--size 1280x9" "--time soon" "--view front;alert()" "--color a'b" "--clip w" "--clip x=2" "--mode 1.5" "--mode 2 --time 1"; do
  # shellcheck disable=SC2086
  expect 2 "$tenon" view crank.h5 --png bad.png $wrong
  [ ! -e bad.png.part ] || problem "$wrong leaves a file"
done
expect 2 "$tenon" view
expect 3 "$tenon" view crank.h5 --html no/such/page.html
says err "cannot write 'no/such/page.html'"
exit $failed
