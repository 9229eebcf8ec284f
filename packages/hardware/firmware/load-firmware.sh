#!/bin/sh
# Loads the firmware into the memory of the controller on boards 1.1 and 1.2, over SWD (GPIO25 clock, GPIO24 data), and starts it.
# The controller has no flash: this is done at each start of the computer, by lcs-firmware.service.
#
#   lcs-load-firmware            loads; says in one sentence what failed
#   lcs-load-firmware --needed   succeeds where the board has such a controller
#
# For tests: LCS_DEVICE_TREE, LCS_SYSFS, LCS_FIRMWARE, LCS_TRIES_S (seconds between tries).
set -u

hat="${LCS_DEVICE_TREE:-/proc/device-tree}/hat"
image="${LCS_FIRMWARE:-/usr/lib/lcs/firmware/lcs-controller.bin}"
memory=0x20000000
tries=3
limit_s=30

text() { tr -d '\000\n' 2>/dev/null <"$hat/$1" || true; }

# The EEPROM of the board: its last two digits are its version.
needed() {
  [ "$(text vendor)" = 'Pioreactor Inc.' ] || return 1
  case "$(text product_ver)" in *11 | *12) return 0 ;; *) return 1 ;; esac
}

if [ "${1:-}" = --needed ]; then
  needed
  exit
fi

# The chip of the header's lines, as "number label": its number differs between computers and kernels.
chip=$(gpiodetect 2>/dev/null | sed -n 's/^gpiochip\([0-9]*\) \[\(pinctrl-bcm2[78][0-9]*\|pinctrl-rp1\)\].*/\1 \2/p' | head -n 1)
chip_number="${chip%% *}"
chip_label="${chip#* }"

# The number of its first line in the old interface of the kernel.
first_line() {
  for folder in "${LCS_SYSFS:-/sys}"/class/gpio/gpiochip*; do
    [ "$(cat "$folder/label" 2>/dev/null)" = "$chip_label" ] && cat "$folder/base" && return
  done
  echo 0
}

# Ways to drive two lines, the best one first. Debian 12 has openocd with the lines of the kernel, Debian 13 without; the registers are
# those of a Raspberry Pi up to 4.
case "$chip_label" in
  pinctrl-rp1) drivers='linuxgpiod sysfsgpio' ;;
  *) drivers='linuxgpiod bcm2835gpio sysfsgpio' ;;
esac

load() {
  case "$1" in
    linuxgpiod) lines="adapter gpio swclk 25 -chip ${chip_number:-0}; adapter gpio swdio 24 -chip ${chip_number:-0}" ;;
    bcm2835gpio) lines='bcm2835gpio speed_coeffs 236181 60; adapter gpio swclk 25; adapter gpio swdio 24' ;;
    sysfsgpio) lines="sysfsgpio swd_nums $(($(first_line) + 25)) $(($(first_line) + 24))" ;;
  esac
  timeout "$limit_s" openocd \
    -c 'gdb_port disabled; tcl_port disabled; telnet_port disabled' \
    -c "adapter driver $1; $lines; transport select swd; adapter speed 1000; set USE_CORE 0" \
    -f target/rp2040.cfg \
    -c 'init; reset halt' \
    -c "load_image $image $memory bin; verify_image $image $memory bin" \
    -c "resume $memory; shutdown" 2>&1
}

failure='unknown'
for attempt in $(seq "$tries"); do
  [ "$attempt" = 1 ] || sleep "${LCS_TRIES_S:-1}"
  for driver in $drivers; do
    output=$(load "$driver")
    code=$?
    if [ "$code" = 0 ]; then
      echo "The firmware of the controller is loaded and runs."
      exit 0
    fi
    case "$code" in
      124) found="openocd did not end within $limit_s s" ;;
      127) found='openocd is not installed' ;;
      *) found=$(printf '%s\n' "$output" | sed -n 's/^Error: //p' | head -n 1) ;;
    esac
    # Another way is only for an openocd without this one: otherwise its message would hide the true one.
    case "$output" in *"not found ($driver)"*) ;; *) break ;; esac
  done
  failure=${found:-"openocd ended with code $code"}
done
echo "The controller of this board could not be given its firmware ($failure), so its LEDs and inputs are missing: check the board's seat on the header, then run \"systemctl restart lcs-firmware\" and restart lcs-unit." >&2
exit 1
