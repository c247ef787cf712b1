#!/bin/bash
# matrix.sh FOLDER LISTS KERNEL...: runs try.sh for each KERNEL; log and results go
# to FOLDER/t/kernels, in automake's form.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1/t/kernels lists=$2
shift 2
mkdir -p "$out" || exit
for kernel; do
	sh "${here%/t/kernels}/build-aux/tap-driver.sh" --test-name "kernel $kernel" \
		--log-file "$out/$kernel.log" --trs-file "$out/$kernel.trs" \
		-- bash "$here/try.sh" "$kernel" $lists
done
! grep -q '^:test-result: \(FAIL\|ERROR\)' "$out"/*.trs
