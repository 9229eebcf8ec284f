/** One step of the protocol for the first person with a real board. */
export interface FirstBoardStep {
  readonly title: string;
  /** What the person does, in order; commands in backticks. */
  readonly acts: readonly string[];
  readonly expected: string;
  readonly onDeviation: string;
  /** What the person writes down. */
  readonly measured: readonly string[];
}

/**
 * The protocol of `docs/first-board-test.md`, and the last part of the report of `lcs doctor`. Expected values are those of the
 * facts that the program was built from; what was only ever simulated is expected as simulated.
 */
export const firstBoardSteps: readonly FirstBoardStep[] = [
  {
    title: 'Board and computer',
    acts: [
      'With the power off, push the board onto all 40 pins. Connect neither pumps nor heater. Switch on, run `lcs setup --role both`, restart the computer.',
      '`lcs doctor`',
    ],
    expected:
      'The version of the board as printed on it; kernel 6.6.62 or newer; config.txt and overlays complete; no under-voltage.',
    onDeviation:
      'Follow the sentence of each finding. A board whose version is not read: `lcs setup --board-version VERSION`. Outputs that do not respond after the restart: `lcs setup --outputs pwm`, restart, and note it.',
    measured: ['model of the computer, version printed on the board', 'findings that stay'],
  },
  {
    title: 'Firmware of the controller (boards 1.1 and 1.2)',
    acts: [
      'It is loaded over the two SWD lines of the header: `journalctl -b -u lcs-firmware`, `systemctl status lcs-firmware`',
      '`i2cdetect -y 1` (package i2c-tools)',
    ],
    expected:
      'The journal has "The firmware of the controller is loaded and runs.", the service is active, and the address 2c answers, at each of five starts of the computer; a load takes less than 30 s.',
    onDeviation: 'Send `journalctl -u lcs-firmware` with the report. Board 1.0 has no controller: skip this step.',
    measured: ['starts of five at which 2c answered', 'seconds of a load', 'version of openocd'],
  },
  {
    title: 'Chips',
    acts: ['`lcs doctor`, and compare with `i2cdetect -y 1`'],
    expected:
      'Board 1.0: 48, 49, 4f. Boards 1.1 and 1.2: 2c, 4f and the converters of the reactor (40 ml: 48 and 49). The doctor names the same parts as responding.',
    onDeviation:
      'Write the addresses down. An unexpected address of a converter is set in `hardware/` of the data folder (hardware.md).',
    measured: ['addresses', 'model and version of the reactor'],
  },
  {
    title: 'The overlay of the outputs',
    acts: [
      '`grep dtoverlay /boot/firmware/config.txt`, `ls -l /sys/class/leds/lcs:pwm*/brightness`, `cat /sys/class/leds/lcs:pwm1/trigger`, `dmesg | grep -i -e overlay -e leds-pwm -e pwm-gpio`',
    ],
    expected:
      'Without lines of outputs before setup, and with kernel 6.6.62 or newer: the line `dtoverlay=lcs-outputs`, five LEDs lcs:pwm1 to lcs:pwm5 whose brightness the group gpio may write, the trigger `pattern`, and no error of the kernel. The doctor says that the outputs go off by themselves.',
    onDeviation:
      'Send what `dmesg` says with the report. Then `lcs setup --outputs pwm`, restart, and go on: the step that kills everything tells the difference.',
    measured: ['LEDs of five that are there', 'group and mode of their brightness', 'errors of the kernel'],
  },
  {
    title: 'Outputs are off when nothing runs',
    acts: [
      'Measure with a voltmeter at all five PWM outputs and at the four LEDs: during the start of the computer, after it, and after `lcs outputs-off`.',
    ],
    expected: '0 V and dark, at each of the three.',
    onDeviation: 'Stop here: connect no pump and no heater, and send the report.',
    measured: ['outputs that were not off, and when'],
  },
  {
    title: 'Signals of the PWM outputs',
    acts: [
      'Without pumps, with an oscilloscope or a multimeter that shows frequency and duty: `lcs run stirring --unit UNIT`, then `lcs run add_media --unit UNIT --option duration=5` and the same with `add_alt_media` and `remove_waste`.',
    ],
    expected:
      'Stirrer 200 Hz, pumps 250 Hz, each on its own channel, and nothing on the others. Channels 2 and 4 are steady; 1, 3 and 5 vary by less than 1 % of the period.',
    onDeviation: 'Write frequency, duty and jitter of each channel down.',
    measured: ['frequency and duty of channels 1 to 5', 'largest jitter'],
  },
  {
    title: 'Stirrer and its sensor',
    acts: [
      'A vial with 15 ml of water and the stir bar. `lcs run stirring --unit UNIT`, then set 300, 500 and 800 RPM: `lcs set stirring --unit UNIT target_rpm=500`, each for five minutes.',
    ],
    expected: 'Within 5 % of the setpoint after a minute, at each. With a phone’s stroboscope the same speed.',
    onDeviation:
      'If the speed is 0: the sensor. If it is twice or half of the stroboscope: edges are lost or doubled. If it oscillates: the gains.',
    measured: ['RPM after one and five minutes, at each setpoint', 'RPM of the stroboscope'],
  },
  {
    title: 'LEDs and photodiodes',
    acts: [
      'Vial with water, lid closed. `lcs run self_test --unit UNIT`',
      'Boards 1.1 and 1.2, as after a brown-out of the board: `lcs run od_reading --unit UNIT`, and a minute later `systemctl restart lcs-firmware`.',
    ],
    expected:
      'All tests pass; photodiodes follow the infrared LED with a correlation of 0.9 or more. While the controller is loaded again, LEDs are dark and readings fail with an error in the log; the next ones are those of before, without a restart of the unit.',
    onDeviation: 'Send the failed tests with their values, and the errors: `lcs logs`.',
    measured: ['failed tests and their values', 'readings that failed while the controller was loaded'],
  },
  {
    title: 'Noise of the optical density',
    acts: [
      'Vial with water. `lcs run stirring --unit UNIT`, `lcs run od_reading --unit UNIT`, one hour. `lcs series raw-od --experiment EXPERIMENT --hours 1`',
    ],
    expected: 'A reading every 5 s, none missing; standard deviation below 1 % of the mean.',
    onDeviation: 'Repeat with the room dark, and with the stirrer off.',
    measured: ['readings in an hour', 'mean and standard deviation'],
  },
  {
    title: 'Heater and its sensor',
    acts: [
      'A probe in the water of the vial. `lcs run temperature_automation --unit UNIT --option automation_name=thermostat --option target_temperature=32`, two hours. Then unplug the sensor of the heater’s board for a minute.',
    ],
    expected:
      'The liquid is within 0.5 °C of 32 °C after one hour and stays there. The signal of the heater has 16 Hz. Without its sensor the heater is off within 35 s, and the log says why.',
    onDeviation: 'If the heater stays on without its sensor: switch the power off and send the report.',
    measured: [
      '°C of the probe after 30, 60 and 120 minutes',
      'frequency of channel 5',
      'seconds until the heater was off',
    ],
  },
  {
    title: 'Pumps and their volume',
    acts: [
      'Tubes over a scale. Calibrate each pump (*Calibrations* in the web UI), then five times `lcs run add_media --unit UNIT --option ml=1`.',
    ],
    expected: 'Each dose within 5 % of 1 ml.',
    onDeviation: 'Write all five weights down, and the voltage of the pumps’ supply.',
    measured: ['five weights for each pump'],
  },
  {
    title: 'Everything is killed while a pump runs',
    acts: [
      'A pump into a beaker, with a video at 60 pictures a second: `lcs run add_media --unit UNIT --option duration=30`, then `systemctl kill --signal KILL lcs-unit`.',
    ],
    expected: 'The pump stops within 1 s; the service is back within 30 s.',
    onDeviation: 'Pull the plug of the pump, and send the report.',
    measured: ['seconds from the kill to the stop, three times', 'seconds until the service was back'],
  },
  {
    title: 'The unit hangs while a pump runs',
    acts: [
      'The same with `kill -STOP $(systemctl show -p MainPID --value lcs-unit)`; once more together with its guard: `kill -STOP $(systemctl show -p MainPID --value lcs-unit) $(pgrep -f guard-process)`. Light an LED before (*Set LED B* on the page of the unit).',
    ],
    expected:
      'Unit alone: off within 2 s. Both together: off within 31 s, by the service manager; within 2 s with the overlay lcs-outputs (hardware.md). An LED of boards 1.1 and 1.2 with our firmware is dark within 6 s.',
    onDeviation: 'Pull the plug of the pump, and send the report.',
    measured: ['seconds until off: unit alone', 'seconds until off: both', 'seconds until the LED was dark: both'],
  },
  {
    title: 'The I2C bus hangs while a pump runs',
    acts: ['Connect SDA (pin 3) to ground by a wire while a pump and an LED are on; after 20 s take it away.'],
    expected:
      'The pump ends at its time. The log names the bus. After the wire is gone everything works again within a minute.',
    onDeviation: 'Write down what stayed on, and for how long.',
    measured: ['end of the pump, late by', 'seconds until the chips answered again'],
  },
  {
    title: 'Button and status light',
    acts: ['Press the button of the board; *Identify* on the page of the unit.'],
    expected: 'The light is on while the button is held; *Identify* makes it flash eight times.',
    onDeviation: 'Write down what it does instead.',
    measured: ['light while pressed', 'flashes'],
  },
  {
    title: 'The kernel hangs',
    acts: [
      '`systemctl show -p RuntimeWatchdogUSec`, and `wdctl`',
      'With a pump on: `echo c > /proc/sysrq-trigger` as root.',
    ],
    expected:
      '`RuntimeWatchdogUSec=15s` and a device whose time is 15 s. The computer starts again within 20 s, and the pump is off from then on.',
    onDeviation: 'If it does not restart: the hardware watchdog (lcs doctor).',
    measured: ['seconds until the restart', 'seconds until the pump was off'],
  },
  {
    title: 'Memory is short',
    acts: [
      '`cat /sys/fs/cgroup/cgroup.controllers`, `systemctl show -p MemoryMin,OOMPolicy lcs-unit`, `cat /sys/fs/cgroup/system.slice/memory.min /sys/fs/cgroup/system.slice/lcs-unit.service/memory.min`',
      'A plugin that does nothing, as `/var/lib/lcs-unit/plugins/idler.js`: `import { definePlugin } from "@lcs/plugin-api"; export default definePlugin({ manifest: { name: "idler", version: "1.0.0" }, jobs: [{ name: "idler", help: "Does nothing.", settings: {}, options: {}, start: async () => ({ stop: async () => {} }) }] });`',
      'With the stirrer on: `lcs plugins --unit UNIT`, `lcs run idler --unit UNIT`. Let the kernel end its process, as root: `echo 1000 > /proc/$(pgrep -f plugin-process | head -n 1)/oom_score_adj; echo f > /proc/sysrq-trigger`. Remove the file.',
    ],
    expected:
      '`MemoryMin=134217728` and `OOMPolicy=continue`. With `memory` among the controllers both files have 134217728; without it, as on Raspberry Pi OS by default, there are no such files. The kernel ends the plugin only: its job ends with an error in `lcs logs`, the stirrer does not stop, and `systemctl show -p NRestarts lcs-unit` is what it was.',
    onDeviation: 'Send `dmesg` and `journalctl -u lcs-unit` of that minute with the report.',
    measured: ['controllers', 'values of memory.min', 'restarts of the unit', 'processes that the kernel ended'],
  },
  {
    title: 'The power fails',
    acts: ['With stirrer, heater and a dosing automation running: pull the plug, wait a minute, plug it in.'],
    expected:
      'The unit joins again by itself and continues its jobs as their settings say; no reading before the failure is missing.',
    onDeviation: 'Send the report, and `lcs logs` of that time.',
    measured: ['minutes until readings', 'missing readings'],
  },
  {
    title: 'A day',
    acts: ['All jobs of an experiment for 24 hours with water. Then `lcs doctor --report first-board.md`.'],
    expected: 'No restart of a service, no under-voltage, less than 80 °C, no missing reading.',
    onDeviation: 'Send the report as it is.',
    measured: ['missing readings', 'restarts'],
  },
  {
    title: 'The machine’s own wireless network',
    acts: [
      'At the keyboard, or over a cable: `lcs setup --access-point lab`; join it with a phone and open `https://HOSTNAME.local:4999`. Restart the computer, and join again.',
      '`nmcli connection show --active`, `iw dev wlan0 get power_save`, `lcs doctor`',
    ],
    expected:
      'The phone gets an address (10.42.0.x) and the web UI, also after the restart. The connection lcs-access-point is active, power save is off, and the doctor has no finding about Wi-Fi.',
    onDeviation: 'Send `journalctl -b -u NetworkManager` and `dmesg | grep -i brcm` with the report.',
    measured: ['seconds from setup until the phone had joined', 'the same after the restart', 'power save'],
  },
  {
    title: 'A camera, where there is one',
    acts: [
      '`apt-get install rpicam-apps-lite` (a camera on the ribbon cable), or `apt-get install fswebcam` and `capture_backend=v4l2` (USB); `enabled=1`, all in section [camera] of the configuration. *Take a picture* on the page of the unit.',
    ],
    expected: 'The page shows the picture within 20 s. The service takes it, as the user lcs.',
    onDeviation:
      'Send `journalctl -u lcs-unit` of that minute, and what `runuser -u lcs -- rpicam-still --list-cameras` prints.',
    measured: ['kind of camera', 'seconds until the picture'],
  },
  {
    title: 'A purge',
    acts: [
      '`cp /boot/firmware/config.txt.before-lcs first.txt`; save the report; then `apt-get purge lcs-unit lcs-leader lcs`, and restart the computer.',
      '`diff first.txt /boot/firmware/config.txt`, `ls /boot/firmware /boot/firmware/overlays | grep lcs`, `find / -xdev -name "lcs*"`, `nmcli connection show`',
    ],
    expected:
      'No difference but lines that you have added; nothing else that has the name lcs, and no connection lcs-access-point. The computer starts as before the installation.',
    onDeviation: 'Send what is left.',
    measured: ['differences', 'files that are left'],
  },
];
