#!/bin/sh
# The third-party code of the viewer is what package-lock.json says: its sums fit, and a changed lock
# file, list of parts or bundle is noticed. Without a network; make viewer-vendor-check builds it anew.
#   vendor.sh build-dir source-dir
set -eu
source=$2/viewer
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }
sum() { sha256sum | cut -d' ' -f1; }

# what is wrong with a folder like viewer/, nothing when it fits
trouble() {
  mark=$(sed -n 2p "$1/vendor/third-party.js")
  from=$(cd "$1" && cat package.json package-lock.json .npmrc vendor/entry.js vendor/make.sh | sum)
  code=$(tail -n +3 "$1/vendor/third-party.js" | sum)
  case $mark in *"from $from "*) ;; *) echo "made from other versions or parts" ;; esac
  case $mark in *"code $code "*) ;; *) echo "changed by hand" ;; esac
  for name in three uplot; do
    want=$(sed -n "s/.*\"$name\": \"\([0-9.]*\)\".*/\1/p" "$1/package.json")
    grep -q "\"node_modules/$name\"" "$1/package-lock.json" &&
      head -1 "$1/vendor/third-party.js" | grep -qi "$name\(\.js\)\? $want," || echo "$name is not $want"
  done
}

said=$(trouble "$source")
[ -z "$said" ] || fail "viewer/vendor/third-party.js: $said; run make viewer-vendor"
for file in package-lock.json vendor/entry.js vendor/third-party.js; do
  rm -rf "$scratch/v"
  mkdir -p "$scratch/v/vendor"
  cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$scratch/v"
  cp "$source/vendor/entry.js" "$source/vendor/make.sh" "$source/vendor/third-party.js" "$scratch/v/vendor"
  echo " " >> "$scratch/v/$file"
  [ -n "$(trouble "$scratch/v")" ] || fail "a changed $file is not noticed"
done
