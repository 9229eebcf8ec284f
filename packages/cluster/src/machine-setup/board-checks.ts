import {
  excludedOverlays,
  linesFor,
  missingLines,
  outputOverlays,
  outputsFilters,
  outputsOverlay,
} from './config-txt.ts';
import { advice, type Finding, fine, listed, problem } from './finding.ts';
import type { MachineFacts } from './machine-facts.ts';
import { leastKernel, overlayUnfit } from './output-overlay.ts';
import { optionValue } from './service-options.ts';
import { isAtLeast } from './tool-output.ts';

export const setUpAgain = 'Run lcs setup again.';

/** Versions of the board whose controller has no memory for its firmware. */
export const needsFirmware = (version: string | undefined): boolean => version === '1.1' || version === '1.2';

/** What a unit needs of this computer to drive a real board. */
export function boardChecks(facts: MachineFacts): readonly Finding[] {
  return [
    board(facts),
    kernel(facts),
    configTxt(facts),
    overlays(facts),
    i2c(facts),
    ...parts(facts),
    gpioTools(facts),
    groups(facts),
    ...rights(facts),
    ...outputDrives(facts),
    ...firmware(facts),
  ];
}

/** The version of the board in the unit's options takes precedence over its EEPROM. */
export const boardVersionOf = ({
  unitOptions,
  board,
}: Pick<MachineFacts, 'unitOptions' | 'board'>): string | undefined =>
  optionValue(unitOptions?.words ?? [], '--board-version') ?? board?.version;

function board(facts: MachineFacts): Finding {
  const version = boardVersionOf(facts);
  if (facts.board !== undefined) return fine('board', `The board on the header is of version ${facts.board.version}.`);
  if (version !== undefined)
    return fine('board', `The board on the header is taken as version ${version}: its EEPROM was not read.`);
  return problem(
    'board',
    'No board was found on the header of this computer.',
    'Switch the computer off, push the board onto all 40 pins, and start again; or name its version: lcs setup --board-version 1.2. Without a board: lcs setup --simulated.',
  );
}

function kernel({ kernel: release }: MachineFacts): Finding {
  if (isAtLeast(release, leastKernel)) return fine('kernel', `The kernel is ${release}.`);
  return problem(
    'kernel',
    `The kernel ${release} is older than ${leastKernel.join('.')}: its overlay pwm-gpio cannot make the signals of three outputs.`,
    'Run apt-get update and apt-get full-upgrade, then start the computer again.',
  );
}

function configTxt({ configTxt: file }: MachineFacts): Finding {
  if (file === undefined)
    return problem(
      'config_txt',
      'This computer has no config.txt: it is no Raspberry Pi, or its boot partition is not mounted.',
      'Use a Raspberry Pi with Raspberry Pi OS for a real board, or lcs setup --simulated.',
    );
  const missing = missingLines(file.text, linesFor(file.text));
  if (missing.length > 0)
    return problem(
      'config_txt',
      `${file.path} lacks ${listed(missing)}.`,
      'Run lcs setup, then start the computer again.',
    );
  const excluded = excludedOverlays(file.text);
  if (excluded.length > 0)
    return problem(
      'config_txt',
      `${file.path} has ${listed(excluded)} beside lcs-outputs: a pin belongs to one of them.`,
      'Run lcs setup --outputs lcs-outputs, or remove the lines; then start the computer again.',
    );
  const filters = outputsFilters(file.text);
  if (filters.length > 0)
    return advice(
      'config_txt',
      `${file.path} has lcs-outputs only under ${listed(filters)}: other computers have no outputs with this card.`,
      'If this computer is not meant there, move the line to the end of the file, under [all]; then start the computer again.',
    );
  if (file.isNewerThanStart)
    return advice(
      'restart_needed',
      `${file.path} was changed after the start of this computer.`,
      'Start the computer again: systemctl reboot. Then run lcs doctor.',
    );
  return fine('config_txt', `${file.path} has all lines of the board.`);
}

function overlays({ overlayFiles, configTxt: file, outputsOverlay: files }: MachineFacts): Finding {
  const needed = outputOverlays(file?.text ?? '');
  const missing = needed.filter((overlay) => !overlayFiles.includes(overlay));
  const isOther = needed.includes(outputsOverlay) && files.packaged !== undefined && files.installed !== files.packaged;
  if (missing.length === 0 && isOther)
    return advice(
      'overlays',
      'The overlay lcs-outputs on the boot partition is not that of the package.',
      'Run lcs setup again, then start the computer again.',
    );
  if (missing.length === 0)
    return fine('overlays', `${needed.length === 1 ? 'The overlay' : 'The overlays'} ${listed(needed)} can be loaded.`);
  return problem(
    'overlays',
    `The boot partition lacks ${missing.length === 1 ? 'the overlay' : 'the overlays'} ${listed(missing)}.`,
    missing.includes(outputsOverlay)
      ? 'Run lcs setup again, then start the computer again.'
      : 'Run apt-get update and apt-get full-upgrade, which bring the overlays of the kernel.',
  );
}

function i2c({ hasI2cDevice, hasI2cAdapter, isI2cLoadedAtStart }: MachineFacts): Finding {
  if (hasI2cDevice && isI2cLoadedAtStart) return fine('i2c', '/dev/i2c-1 is there, also after the next start.');
  if (hasI2cDevice)
    return advice('i2c', '/dev/i2c-1 is there, but nothing loads i2c-dev at the next start.', setUpAgain);
  if (hasI2cAdapter)
    return problem('i2c', '/dev/i2c-1 is missing: the module i2c-dev is not loaded.', 'Run modprobe i2c-dev.');
  return problem('i2c', '/dev/i2c-1 is missing.', 'Run lcs setup, then start the computer again.');
}

/** The way back from an overlay that a computer does not load. */
const otherOverlays = 'If that does not help, run lcs setup --outputs pwm, and start it once more.';

function parts({ parts: found, configTxt: file }: MachineFacts): readonly Finding[] {
  const hasOverlay = outputOverlays(file?.text ?? '').includes(outputsOverlay);
  if (found === undefined) return [];
  const silent = found.filter(({ silence }) => silence !== undefined);
  const responding = found.filter(({ silence }) => silence === undefined).map(({ name }) => name);
  return [
    ...(responding.length > 0 ? [fine('board_parts', `These parts of the board respond: ${listed(responding)}.`)] : []),
    ...silent.map(({ name, silence = '' }) =>
      problem(
        'board_part_silent',
        `A part does not respond: ${name} (${silence}).`,
        name.startsWith('PWM')
          ? `Start the computer again after lcs setup. ${hasOverlay ? otherOverlays : 'Then check the lines of config.txt.'}`
          : 'Check the plugs and cables of this part with the power off; of the reactor’s model, set it in the web UI.',
      ),
    ),
  ];
}

function gpioTools({ gpioTools: version }: MachineFacts): Finding {
  if (version !== undefined) return fine('gpio_tools', `The GPIO tools are ${version}.`);
  return problem('gpio_tools', 'The GPIO tools are not installed.', 'Run apt-get install gpiod.');
}

function groups({ groups: there, hasServiceUser }: MachineFacts): Finding {
  const missing = ['gpio', 'i2c'].filter((group) => !there.includes(group));
  if (missing.length > 0)
    return problem(
      'groups',
      `The ${missing.length === 1 ? 'group' : 'groups'} ${listed(missing)} do not exist.`,
      setUpAgain,
    );
  if (!hasServiceUser)
    return problem('groups', 'The user lcs of the services does not exist.', 'Install the package lcs again.');
  return fine('groups', 'The user lcs and the groups gpio and i2c exist.');
}

function rights({ forbiddenDevices }: MachineFacts): readonly Finding[] {
  if (forbiddenDevices.length === 0) return [];
  return [
    problem(
      'board_rights',
      `The service lcs-unit may not write ${listed(forbiddenDevices)}.`,
      'Run udevadm trigger --action=add --subsystem-match=i2c-dev --subsystem-match=pwm --subsystem-match=leds, then restart lcs-unit.',
    ),
  ];
}

/** Whether outputs go off when all programs have ended at once (docs/hardware.md, lcs-outputs). */
function outputDrives(facts: MachineFacts): readonly Finding[] {
  const { outputDrives: drives, configTxt: file } = facts;
  if (drives === undefined) return [];
  const channelsOf = (drive: string) =>
    Object.entries(drives).flatMap(([channel, each]) => (each === drive ? channel : []));
  const led = channelsOf('led');
  if (led.length > 0)
    return [
      problem(
        'output_drives',
        `The PWM outputs ${listed(led)} do not go off by themselves: the kernel has no LED trigger named pattern.`,
        'Run modprobe ledtrig-pattern, then restart lcs-unit. If the module is missing, run apt-get full-upgrade.',
      ),
    ];
  const pwm = channelsOf('pwm');
  if (pwm.length === 0) return [fine('output_drives', 'All PWM outputs go off by themselves within 2 s.')];
  const message = `The PWM outputs ${listed(pwm)} do not go off by themselves when all programs are ended at once.`;
  if (outputOverlays(file?.text ?? '').includes(outputsOverlay)) {
    const remediation = `The overlay lcs-outputs is not loaded: start the computer again. ${otherOverlays}`;
    // What was written after the start cannot be effective yet.
    return [(file?.isNewerThanStart ? advice : problem)('output_drives', message, remediation)];
  }
  const reason = overlayUnfit(facts);
  return [
    reason === undefined
      ? advice('output_drives', message, 'Run lcs setup --outputs lcs-outputs, then start the computer again.')
      : advice('output_drives', `${message} ${reason}`, 'Correct that, then run lcs setup --outputs lcs-outputs.'),
  ];
}

function firmware(facts: MachineFacts): readonly Finding[] {
  const version = boardVersionOf(facts);
  if (!needsFirmware(version)) return [];
  const { isInstalled, isEnabled, state } = facts.services['lcs-firmware'];
  if (!isInstalled)
    return [
      problem(
        'firmware',
        `A board of version ${version} needs its firmware at each start, and no service loads it.`,
        'Install the newest package lcs-unit, which has the service lcs-firmware.',
      ),
    ];
  if (facts.board === undefined)
    return [
      problem(
        'firmware',
        'The service lcs-firmware loads nothing: it needs the EEPROM of the board, which was not read.',
        'Push the board onto all 40 pins. To load the firmware once: /usr/lib/lcs/bin/lcs-load-firmware.',
      ),
    ];
  if (!isEnabled) return [problem('firmware', 'The service lcs-firmware is not enabled.', setUpAgain)];
  if (state === 'failed')
    return [
      problem(
        'firmware',
        'The firmware of the board could not be loaded.',
        'Read the reason: journalctl -u lcs-firmware. Then run systemctl restart lcs-firmware lcs-unit.',
      ),
    ];
  if (state !== 'active')
    return [problem('firmware', 'The firmware of the board is not loaded.', 'Run systemctl start lcs-firmware.')];
  return [fine('firmware', 'The firmware of the board was loaded at the start.')];
}
