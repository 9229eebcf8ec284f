import { needsFirmware } from './board-checks.ts';
import { type Change, remove, run, write } from './change.ts';
import { isBesideLeader, leaderUrlOf, type SetupChoices, unitPortOf, usualUnitName } from './choices.ts';
import { linesFor, outputsIn, outputsOverlay, withLines, withOutputs } from './config-txt.ts';
import { advice, type Finding } from './finding.ts';
import { type MachineFacts, type OptionsFile, type OwnService, roleHas } from './machine-facts.ts';
import { announcementFile, announcementText } from './mdns.ts';
import { outputsAfterSetup, overlayPathBeside, overlayUnfit } from './output-overlay.ts';
import { accessPointId, accessPointText, i2cModuleText, ownPaths, watchdogText, wifiPowerText } from './own-files.ts';
import { leaderLinkFile } from './read-facts.ts';
import { isEnrolled } from './service-checks.ts';
import { optionValue, runsWith, withOptions, withValues } from './service-options.ts';
import { portOf } from './service-ports.ts';

/**
 * What is to be changed on this machine so that it serves as chosen, in this order; nothing, if it does already. The choices have
 * passed `refusalOf`.
 */
export function plan(facts: MachineFacts, choices: SetupChoices): readonly Change[] {
  const isUnit = roleHas(choices.role, 'unit');
  return [
    ...(isUnit && !choices.isSimulated ? boardPlan(facts, choices) : []),
    ...wifiPlan(facts),
    ...(roleHas(choices.role, 'leader') ? leaderPlan(facts) : []),
    ...(isUnit ? unitPlan(facts, choices) : []),
    // Last: it may end the connection of the person.
    ...accessPointPlan(facts, choices),
  ];
}

/** A file and what makes it effective, which a former run may not have reached. */
function ownFile(
  facts: MachineFacts,
  path: string,
  text: string,
  purpose: string,
  { isEffective, apply }: { readonly isEffective: boolean; readonly apply: Change },
): readonly Change[] {
  if (facts.ownFiles[path] !== text) return [write(path, text, purpose), apply];
  return isEffective ? [] : [apply];
}

/** Why the outputs do not become those that go off by themselves, although nobody has chosen others. */
export function setupNotes(facts: MachineFacts, { role, isSimulated, outputs }: SetupChoices): readonly Finding[] {
  const reason = overlayUnfit(facts);
  const isOpen =
    outputs === undefined && facts.configTxt !== undefined && outputsIn(facts.configTxt.text) === undefined;
  if (!roleHas(role, 'unit') || isSimulated || !isOpen || reason === undefined) return [];
  return [
    advice(
      'outputs_overlay',
      `${reason} Outputs will not go off by themselves when all programs are ended at once.`,
      'Correct that, then run lcs setup --outputs lcs-outputs (docs/hardware.md).',
    ),
  ];
}

/** The compiled overlay comes before the line that names it. */
function overlayPlan(facts: MachineFacts, { outputs }: SetupChoices): readonly Change[] {
  const { configTxt, outputsOverlay: files } = facts;
  const isUsed = outputsAfterSetup(facts, outputs) === outputsOverlay;
  if (configTxt === undefined || files.packaged === undefined || !isUsed || files.installed === files.packaged)
    return [];
  return [
    write(
      overlayPathBeside(configTxt.path),
      files.packaged,
      'outputs that go off by themselves, from the next start on',
      {
        mode: 0o755,
        encoding: 'latin1',
      },
    ),
  ];
}

/** Lines of the file are replaced on request only; otherwise they stay, and the checks say what excludes each other. */
function boardText(facts: MachineFacts, text: string, { outputs }: SetupChoices): string {
  return outputs === undefined
    ? withLines(text, linesFor(text, outputsAfterSetup(facts, undefined)))
    : withOutputs(text, outputs);
}

function boardPlan(facts: MachineFacts, choices: SetupChoices): readonly Change[] {
  const { configTxt, groups, isI2cLoadedAtStart, hasI2cDevice, hasI2cAdapter, services } = facts;
  const isWatchdogOff = facts.hasWatchdogDevice && facts.runtimeWatchdogS === 0;
  const lines = configTxt === undefined ? '' : boardText(facts, configTxt.text, choices);
  const firmware = services['lcs-firmware'];
  const isWanted = needsFirmware(facts.board?.version) && firmware.isInstalled;
  return [
    ...overlayPlan(facts, choices),
    ...(configTxt === undefined || lines === configTxt.text
      ? []
      : [
          write(configTxt.path, lines, 'I2C, PWM and the watchdog of the board, from the next start on', {
            mode: 0o755,
            // It may be in another encoding.
            encoding: 'latin1',
            keepsOriginal: true,
          }),
        ]),
    ...(isI2cLoadedAtStart
      ? []
      : [write(ownPaths.i2cModule, i2cModuleText, 'the I2C bus for programs, from the next start on')]),
    ...(hasI2cAdapter && !hasI2cDevice ? [run('the I2C bus for programs, now', 'modprobe', 'i2c-dev')] : []),
    ...['gpio', 'i2c']
      .filter((group) => !groups.includes(group))
      .map((group) => run('the group that may use the board', 'groupadd', '--system', group)),
    ...ownFile(facts, ownPaths.watchdog, watchdogText, 'a computer that hangs restarts, and its outputs go off', {
      isEffective: !isWatchdogOff,
      apply: run('the watchdog, now', 'systemctl', 'daemon-reexec'),
    }),
    ...(isWanted && !firmware.isEnabled
      ? [run('the firmware of the board at each start', 'systemctl', 'enable', 'lcs-firmware.service')]
      : []),
    ...(isWanted && firmware.state !== 'active'
      ? [run('the firmware of the board, now', 'systemctl', 'restart', 'lcs-firmware.service')]
      : []),
  ];
}

function wifiPlan(facts: MachineFacts): readonly Change[] {
  if (facts.wirelessInterfaces.length === 0 || !facts.hasNetworkManager) return [];
  return ownFile(facts, ownPaths.wifiPower, wifiPowerText, 'a radio that does not pause, from the next connection on', {
    isEffective: facts.hasLoadedWifiPower !== false,
    apply: run('the settings of the network, now', 'systemctl', 'reload', 'NetworkManager.service'),
  });
}

function leaderPlan(facts: MachineFacts): readonly Change[] {
  const words = facts.leaderOptions?.words ?? ['--host', '0.0.0.0', '--port', String(portOf(facts, 'lcs-leader'))];
  const { changes } = options(facts.leaderOptions, 'LCS_LEADER_OPTIONS', words, ownPaths.leaderOptions, 0o644);
  return [...changes, ...servicePlan(facts, 'lcs-leader', words), ...announcementPlan(facts, words)];
}

/** A leader without an authority is reached on loopback only, or has not started yet. */
function announcementPlan(facts: MachineFacts, words: readonly string[]): readonly Change[] {
  const fingerprint = facts.authorityFingerprint;
  if (!facts.hasMdnsDaemon || fingerprint === undefined || optionValue(words, '--host') === undefined) return [];
  const text = announcementText({ port: portOf(facts, 'lcs-leader'), version: facts.programVersion, fingerprint });
  if (facts.announcement === text) return [];
  return [write(announcementFile, text, 'units find this leader in the network')];
}

function unitPlan(facts: MachineFacts, choices: SetupChoices): readonly Change[] {
  const before = facts.unitOptions?.words ?? [];
  const url = leaderUrlOf(facts, choices);
  const isEnrolledHere = isEnrolled(facts.enrolment, facts.boundLeader) && optionValue(before, '--leader') === url;
  const isMember = isEnrolledHere && !choices.isReleased;
  const words = withValues(before, {
    '--leader': url,
    '--name': choices.unitName ?? optionValue(before, '--name') ?? usualUnitName(facts.hostName),
    '--board': choices.isSimulated ? 'simulated' : 'linux',
    '--host': isBesideLeader(facts, choices) ? undefined : '0.0.0.0',
    '--port': unitPortOf(facts, choices) ?? optionValue(before, '--port'),
    '--board-version': choices.isSimulated
      ? undefined
      : (choices.boardVersion ?? optionValue(before, '--board-version')),
    // A one-time code is a secret until it is used, and useless afterwards.
    '--code': isMember ? undefined : (choices.code ?? optionValue(before, '--code')),
  });
  const { changes } = options(facts.unitOptions, 'LCS_UNIT_OPTIONS', words, ownPaths.unitOptions, 0o600);
  return [...releasePlan(facts, choices), ...changes, ...servicePlan(facts, 'lcs-unit', words)];
}

/** A unit forgets its leader before its options name another one; it must not run meanwhile. */
function releasePlan({ boundLeader }: MachineFacts, { isReleased }: SetupChoices): readonly Change[] {
  if (!isReleased || boundLeader === undefined) return [];
  return [
    run('the jobs of the unit end, and its outputs go off', 'systemctl', 'stop', 'lcs-unit.service'),
    remove(leaderLinkFile, `the unit leaves the leader ${boundLeader}`),
  ];
}

function options(
  file: OptionsFile | undefined,
  variable: string,
  words: readonly string[],
  path: string,
  mode: number,
): { readonly changes: readonly Change[] } {
  const role = variable === 'LCS_UNIT_OPTIONS' ? 'unit' : 'leader';
  if (file?.words?.join(' ') === words.join(' ')) return { changes: [] };
  const heading = `# Options of the service lcs-${role} (lcs ${role} --help, man lcs), by lcs setup.\n`;
  const text = withOptions(file?.text ?? heading, variable, words);
  return { changes: [write(path, text, `the options of the ${role}`, { mode })] };
}

/** Enabled, and running with these options. */
function servicePlan(facts: MachineFacts, name: OwnService, words: readonly string[]): readonly Change[] {
  const { isEnabled, state, processArguments } = facts.services[name];
  const isCurrent = state === 'active' && (processArguments === undefined || runsWith(processArguments, words));
  return [
    ...(isEnabled ? [] : [run(`${name} at each start`, 'systemctl', 'enable', `${name}.service`)]),
    ...(isCurrent ? [] : [run(`${name}, now, with these options`, 'systemctl', 'restart', `${name}.service`)]),
  ];
}

function accessPointPlan(facts: MachineFacts, { accessPoint }: SetupChoices): readonly Change[] {
  const [device] = facts.wirelessInterfaces;
  if (accessPoint === undefined || device === undefined) return [];
  const before = facts.ownFiles[ownPaths.accessPoint] ?? '';
  const passphrase = accessPoint.passphrase ?? /^psk=(.*)$/m.exec(before)?.[1]?.replaceAll('\\\\', '\\') ?? '';
  const text = accessPointText(device, { name: accessPoint.name, passphrase });
  const isOnPi = facts.configTxt?.path.startsWith('/boot/firmware/') ?? false;
  const isMarked = facts.ownFiles[ownPaths.accessPointMarker] !== undefined;
  const isActive = before === text && facts.activeConnections?.includes(accessPointId);
  return [
    ...(before === text
      ? []
      : [write(ownPaths.accessPoint, text, `the wireless network ${accessPoint.name}`, { mode: 0o600 })]),
    ...(isOnPi && !isMarked
      ? [write(ownPaths.accessPointMarker, '', 'the leader knows that this machine is an access point')]
      : []),
    ...(isActive
      ? []
      : [
          run('the connections of the network, now', 'nmcli', 'connection', 'reload'),
          run('the wireless network, now', 'nmcli', 'connection', 'up', accessPointId),
        ]),
  ];
}
