#!/bin/sh
# Writes requirements.lock anew: every package that raidtui and its checks need, pinned and hashed.
cd "$(dirname "$0")/.." || exit
exec uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --extra test --no-annotate \
    --custom-compile-command 'sh tests/regenerate_lock.sh' --output-file requirements.lock pyproject.toml
