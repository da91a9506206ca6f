set -euo pipefail
shopt -s inherit_errexit
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
umask 022
