#!/bin/sh
# raidtui @VERSION@ as one file: this text, then a zip archive. The first start unpacks the archive into a directory that
# belongs to its user alone, later ones start from there.
# shellcheck disable=SC3067 # a sh without -O unpacks no second time either, it is only slower
digest=@DIGEST@
size=@SIZE@

cache=/var/cache/raidtui # root's: what is below HOME may belong to another user
if ! [ -O "$cache" ] && [ "$(id -u)" != 0 ]; then
    cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/raidtui
fi
place=$cache/@VERSION@-@KEY@
for environment in "$place"-*; do
    if [ -O "$cache" ] && [ -O "$environment" ] && [ -x "$environment/bin/python3" ]; then
        exec "$environment/bin/python3" -I -m raidtui "$@"
    fi
done

if [ "$(tail -c "$size" "$0" | sha256sum)" != "$digest  -" ]; then
    echo "raidtui: the content of $0 differs from the release: sha256 is not $digest" >&2
    echo "         copy the file again" >&2
    exit 1
fi
for python in python3 @PYTHONS@; do
    if "$python" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        exec "$python" -I "$0" "$place" "$@"
    fi
done
echo "raidtui: found no Python 3.11 or later as python3 or @PYTHONS@" >&2
echo "         install it, or add its directory to PATH" >&2
exit 1
