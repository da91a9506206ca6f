#!/bin/sh
# Writes requirements.lock anew, pinned and hashed: first what the app needs and its installation, then what its checks need besides.
cd "$(dirname "$0")/.." || exit
compiled() {
    uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate --no-header "$@" pyproject.toml
}
all=$(mktemp) app=$(mktemp)
trap 'rm -f "$all" "$app"' EXIT
compiled --extra test >"$all" && compiled --extra release --constraints "$all" >"$app" || exit
{
    echo "# made by: sh tests/regenerate_lock.sh"
    cat "$app"
    echo "# what the tests need besides"
    awk 'NR == FNR { if (/==/) known[$1]; next } /==/ { skip = $1 in known } !skip' "$app" "$all"
} >requirements.lock
