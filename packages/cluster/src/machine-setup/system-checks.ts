import { advice, type Finding, fine, listed, problem } from './finding.ts';
import { type MachineFacts, type MachineRole, roleHas } from './machine-facts.ts';

const gigabyte = 1e9;
const megabyte = 1e6;
/** As the monitor of a node warns (3 GB, 80 °C). */
const leastDiskBytes = 3 * gigabyte;
const mostCelsius = 80;
/** Chosen: a leader with its web UI, or a unit with its guard, beside the system. */
const leastMemoryBytes = 450 * megabyte;
const leastAvailableBytes = 100 * megabyte;
/** JEDEC: from 80 % on the device itself warns. */
const wornPercent = 80;
/** Chosen: log files that take more wear the card for nothing. */
const mostJournalBytes = 1 * gigabyte;

const gb = (bytes: number): string => `${(bytes / gigabyte).toFixed(1)} GB`;
const mb = (bytes: number): string => `${Math.round(bytes / megabyte)} MB`;

/** What every machine needs, whatever it serves as. */
export function systemChecks(facts: MachineFacts, role: MachineRole | undefined): readonly Finding[] {
  return [
    clock(facts),
    ...disk(facts),
    ...memory(facts),
    ...power(facts),
    ...temperature(facts),
    ...journal(facts),
    ...(roleHas(role, 'unit') ? watchdog(facts) : []),
  ];
}

function clock({ isClockSynchronised }: MachineFacts): Finding {
  if (isClockSynchronised) return fine('clock', 'The clock is synchronised.');
  return advice(
    'clock',
    'The clock is not synchronised: times of readings may be wrong.',
    'Wait a minute after the start; then check the network, and timedatectl.',
  );
}

function disk({ disk: facts }: MachineFacts): readonly Finding[] {
  if (facts === undefined) return [];
  const { availableBytes, totalBytes, isReadOnly, recordedErrors = 0, usedLifePercent } = facts;
  const findings: Finding[] = [];
  if (isReadOnly)
    findings.push(
      problem(
        'disk_read_only',
        'The file system of the system is read-only: nothing can be stored.',
        'Switch an overlay or write protection off (raspi-config); after a fault of the card, replace the card.',
      ),
    );
  if (recordedErrors > 0)
    findings.push(
      problem(
        'disk_errors',
        `The file system has recorded ${recordedErrors} errors.`,
        'Make a backup now (lcs backups make), then replace the card.',
      ),
    );
  if (usedLifePercent !== undefined && usedLifePercent >= wornPercent)
    findings.push(
      advice(
        'disk_wear',
        `The storage has used ${usedLifePercent} % of its life.`,
        'Replace it soon; make a backup first.',
      ),
    );
  const space = `${gb(availableBytes)} of ${gb(totalBytes)} are free on the disk`;
  findings.push(
    availableBytes < leastDiskBytes
      ? problem('disk_space', `Only ${space}.`, 'Remove files, or use a larger card: 32 GB are usual.')
      : fine('disk_space', `${space}.`),
  );
  return findings;
}

function memory({ memoryBytes, availableMemoryBytes }: MachineFacts): readonly Finding[] {
  if (memoryBytes === undefined) return [];
  if (memoryBytes < leastMemoryBytes)
    return [
      advice(
        'memory',
        `This computer has ${mb(memoryBytes)} of memory.`,
        'Let it do nothing else: no desktop, no other services. A leader needs more.',
      ),
    ];
  if (availableMemoryBytes !== undefined && availableMemoryBytes < leastAvailableBytes)
    return [
      advice('memory', `Only ${mb(availableMemoryBytes)} of memory are left.`, 'Stop other programs on this computer.'),
    ];
  return [fine('memory', `${mb(memoryBytes)} of memory.`)];
}

function power({ throttling }: MachineFacts): readonly Finding[] {
  if (throttling === undefined) return [];
  const { now, before } = throttling;
  if (now.length === 0 && before.length === 0)
    return [fine('power', 'Voltage and frequency are in order since the start.')];
  const isVoltage = [...now, ...before].includes('under-voltage');
  const remediation = isVoltage
    ? 'Use the power supply of the maker of the computer and a short cable, and give pumps and heater their own supply.'
    : 'Cool the computer: a heat sink, or more air.';
  if (now.length > 0) return [problem('power', `Now: ${listed(now)}.`, remediation)];
  return [advice('power', `Since the start there was: ${listed(before)}.`, remediation)];
}

function temperature({ socCelsius }: MachineFacts): readonly Finding[] {
  if (socCelsius === undefined) return [];
  const found = `The processor has ${Math.round(socCelsius)} °C`;
  if (socCelsius > mostCelsius)
    return [problem('soc_temperature', `${found}.`, 'Cool the computer: a heat sink, or more air.')];
  return [fine('soc_temperature', `${found}.`)];
}

function journal({ journalBytes }: MachineFacts): readonly Finding[] {
  if (journalBytes === undefined) return [];
  const found = `The journal of the system takes ${mb(journalBytes)}`;
  if (journalBytes <= mostJournalBytes) return [fine('journal_size', `${found}.`)];
  return [
    advice(
      'journal_size',
      `${found}.`,
      'Limit it: SystemMaxUse=200M in /etc/systemd/journald.conf, then restart systemd-journald.',
    ),
  ];
}

function watchdog({ hasWatchdogDevice, runtimeWatchdogS, configTxt }: MachineFacts): readonly Finding[] {
  if (!hasWatchdogDevice && configTxt === undefined) return [];
  if (hasWatchdogDevice && (runtimeWatchdogS ?? 0) > 0)
    return [fine('hardware_watchdog', `A computer that hangs restarts after ${runtimeWatchdogS} s.`)];
  return [
    advice(
      'hardware_watchdog',
      hasWatchdogDevice
        ? 'The watchdog of this computer is off: if the kernel hangs, outputs stay as they are.'
        : 'This computer has no watchdog device.',
      'Run lcs setup, then start the computer again.',
    ),
  ];
}
