import { validateUnitName } from '@lcs/domain';
import { boardVersions, isBoardVersion } from '@lcs/hardware';
import { isLoopback } from '@lcs/platform';
import { type Outputs, outputsOverlay } from './config-txt.ts';
import { listed } from './finding.ts';
import { type MachineFacts, type MachineRole, roleHas } from './machine-facts.ts';
import { isHostName } from './mdns.ts';
import { overlayClashes, overlayUnfit } from './output-overlay.ts';
import { ownPaths } from './own-files.ts';
import { isWritable, optionValue } from './service-options.ts';
import { portBesideLeader, portOf, usualPort } from './service-ports.ts';
import { unreadFindings } from './unread.ts';

/** What a person has decided about a machine. */
export interface SetupChoices {
  readonly role: MachineRole;
  /** Of a unit on another machine than its leader. */
  readonly leaderUrl?: string;
  readonly code?: string;
  /** The unit leaves its former leader for this one. */
  readonly isReleased?: true;
  readonly unitName?: string;
  readonly isSimulated: boolean;
  /** Instead of the one in the board's EEPROM. */
  readonly boardVersion?: string;
  /** Undefined: as `config.txt` has them, or those that fit this computer. */
  readonly outputs?: Outputs;
  readonly accessPoint?: { readonly name: string; readonly passphrase?: string };
}

/** A choice that cannot be carried out. */
export interface Refusal {
  /** Names the reason, for programs. */
  readonly code: string;
  readonly error: string;
  readonly cause: string;
  readonly remediation: string;
}

const refusal = (code: string, error: string, cause: string, remediation: string): Refusal => ({
  code,
  error,
  cause,
  remediation,
});

/** As people give it: `leader.local`, `192.168.1.5:4999`, or a URL. Undefined: it is no address. */
export function leaderAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const given = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (trimmed === '' || !URL.canParse(given)) return undefined;
  const { protocol, hostname, port, username, pathname, search, hash } = new URL(given);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (username !== '' || pathname !== '/' || search !== '' || hash !== '') return undefined;
  // The parser has verified what is in brackets: an address of IPv6.
  if (!isHostName(hostname) && !/^\[[0-9a-f:.]+\]$/.test(hostname)) return undefined;
  // The parser drops the usual port of the protocol, which is not that of leaders.
  const isPortGiven = /:\d+\/?$/.test(given);
  return `${protocol}//${hostname}:${isPortGiven ? port || (protocol === 'https:' ? '443' : '80') : usualPort}`;
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** Whether a leader runs on this machine. */
const hasOwnLeader = ({ services }: MachineFacts): boolean =>
  services['lcs-leader'].isInstalled && services['lcs-leader'].isEnabled;

/** Whether the unit's leader is this machine too: both then speak over loopback. */
export function isBesideLeader(facts: MachineFacts, { role, leaderUrl }: SetupChoices): boolean {
  if (role === 'both') return true;
  if (leaderUrl === undefined) return false;
  const host = hostOf(leaderUrl).toLowerCase();
  const own = facts.hostName.toLowerCase().split('.')[0] ?? '';
  return isLoopback(host) || (hasOwnLeader(facts) && (host === own || host === `${own}.local`));
}

/** The address of the unit's leader, as its options have it. */
export function leaderUrlOf(facts: MachineFacts, choices: SetupChoices): string {
  const { role, leaderUrl } = choices;
  const isOwn = role === 'both' || (hasOwnLeader(facts) && isBesideLeader(facts, choices));
  if (!isOwn && leaderUrl !== undefined) return leaderUrl;
  const host = optionValue(facts.leaderOptions?.words ?? [], '--host') ?? '127.0.0.1';
  return `${isLoopback(host) ? 'http' : 'https'}://127.0.0.1:${portOf(facts, 'lcs-leader')}`;
}

/** The port of the unit where the usual one is that of a leader on this machine; undefined: as its options have it. */
export const unitPortOf = (facts: MachineFacts, choices: SetupChoices): string | undefined =>
  isBesideLeader(facts, choices) || hasOwnLeader(facts) ? String(portBesideLeader) : undefined;

/** A code as `lcs units code` makes it, with or without a hyphen. */
export const normalisedCode = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase();
const codeShape = /^[A-HJ-NP-Z2-9]{8}$/;

/** A name that is not taken: the machine's own, and not the one that leaders have by default. */
export function usualUnitName(hostName: string): string {
  const label = hostName.split('.')[0] ?? '';
  const name = label === 'leader' ? 'leader-unit' : label;
  return validateUnitName(name).ok ? name : 'unit1';
}

/** Why these choices cannot be carried out on this machine; undefined: they can. */
export function refusalOf(facts: MachineFacts, choices: SetupChoices): Refusal | undefined {
  return (
    missingPackage(facts, choices) ??
    (roleHas(choices.role, 'unit')
      ? (unitRefusal(choices) ??
        optionsRefusal(facts) ??
        boardRefusal(facts, choices) ??
        outputsRefusal(facts, choices))
      : undefined) ??
    accessPointRefusal(facts, choices)
  );
}

/** What was not read counts as absent: setup would write it anew. Of programs it needs the service manager only. */
export function unreadRefusal({ unread }: MachineFacts): Refusal | undefined {
  const needed = unread.filter(({ kind, name }) => kind === 'file' || name === 'systemctl');
  const [first] = unreadFindings({ unread: needed });
  return (
    first && refusal('machine_unread', first.message, 'Setup changes only what it has read.', first.remediation ?? '')
  );
}

function missingPackage({ services }: MachineFacts, { role }: SetupChoices): Refusal | undefined {
  const missing = (['leader', 'unit'] as const)
    .filter((each) => roleHas(role, each) && !services[`lcs-${each}`].isInstalled)
    .map((each) => `lcs-${each}`);
  if (missing.length === 0) return undefined;
  return refusal(
    'package_missing',
    `The ${missing.length === 1 ? 'package' : 'packages'} ${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} not installed.`,
    `The role ${role} needs ${missing.length === 1 ? 'its service' : 'their services'}.`,
    `Run apt-get install ${missing.map((name) => `./${name}_<version>_all.deb`).join(' ')}, then lcs setup again.`,
  );
}

function unitRefusal({ role, leaderUrl, code, unitName }: SetupChoices): Refusal | undefined {
  if (role === 'unit' && leaderUrl === undefined)
    return refusal(
      'leader_unknown',
      'The leader is not known.',
      'A unit belongs to a leader.',
      'Name it: lcs setup --leader ADDRESS.',
    );
  if (leaderUrl?.startsWith('http:') && !isLoopback(hostOf(leaderUrl)))
    return refusal(
      'leader_unencrypted',
      `${leaderUrl} is not encrypted.`,
      'A leader on another machine uses TLS.',
      `Name it with https: lcs setup --leader ${leaderUrl.replace('http:', 'https:')}.`,
    );
  if (code !== undefined && !codeShape.test(code))
    return refusal(
      'code_invalid',
      'The one-time code is not valid.',
      'It has eight letters and digits, without 0, 1, I and O.',
      'Make one on the leader: lcs units code.',
    );
  const validation = unitName === undefined ? undefined : validateUnitName(unitName);
  if (validation?.ok === false)
    return refusal(
      'name_invalid',
      `Invalid unit name ${JSON.stringify(unitName)}.`,
      validation.cause,
      'Choose another one: lcs setup --name NAME.',
    );
  return undefined;
}

/** Words of a person that a file of options cannot keep as they are. */
function optionsRefusal({ unitOptions }: MachineFacts): Refusal | undefined {
  const word = unitOptions?.words?.find((each) => !isWritable(each));
  if (word === undefined) return undefined;
  return refusal(
    'options_invalid',
    `${ownPaths.unitOptions} has an invalid option.`,
    `The service manager does not pass ${JSON.stringify(word)} on as it is written.`,
    'Remove quotes, backslashes and $ inside the value, then run lcs setup again.',
  );
}

function boardRefusal(
  { board, otherServices }: MachineFacts,
  { isSimulated, boardVersion }: SetupChoices,
): Refusal | undefined {
  if (isSimulated) return undefined;
  if (otherServices.length > 0)
    return refusal(
      'other_services',
      `Other services use the board: ${listed(otherServices)}.`,
      'Two programs on one board switch outputs against each other.',
      `Disable them: systemctl disable --now ${otherServices.join(' ')}. Then run lcs setup again. Without the board: --simulated.`,
    );
  const version = boardVersion ?? board?.version;
  if (version === undefined)
    return refusal(
      'board_missing',
      'No board was found on the header of this computer.',
      'Its EEPROM cannot be read, or there is none.',
      `Switch the computer off, push the board onto all 40 pins and start again. Or name its version: --board-version ${boardVersions.join('|')}. Without a board: --simulated.`,
    );
  if (isBoardVersion(version)) return undefined;
  return refusal(
    'board_version_unknown',
    `Unknown board version ${version}.`,
    `Known versions are ${listed(boardVersions)}.`,
    'Name the most similar one: lcs setup --board-version VERSION.',
  );
}

function outputsRefusal(facts: MachineFacts, { isSimulated, outputs }: SetupChoices): Refusal | undefined {
  if (isSimulated || outputs !== outputsOverlay) return undefined;
  const error = 'The outputs of this computer cannot be made to go off by themselves.';
  const reason = overlayUnfit(facts);
  if (reason !== undefined)
    return refusal('outputs_overlay_unfit', error, reason, 'Correct that, or run lcs setup without --outputs.');
  const lines = overlayClashes(facts);
  if (lines.length === 0) return undefined;
  return refusal(
    'outputs_overlay_clash',
    error,
    `${facts.configTxt?.path ?? 'config.txt'} has ${listed(lines)}, which lcs setup has not written: a pin belongs to one overlay.`,
    `Remove ${lines.length === 1 ? 'this line' : 'these lines'}, then run lcs setup again.`,
  );
}

/** IEEE 802.11: a name of 1 to 32 bytes; a passphrase of WPA2 has 8 to 63 printable characters of ASCII. */
function accessPointRefusal(facts: MachineFacts, { accessPoint }: SetupChoices): Refusal | undefined {
  if (accessPoint === undefined) return undefined;
  const again = 'Correct that, or run lcs setup without --access-point.';
  const because = (code: string, cause: string) =>
    refusal(`access_point_${code}`, 'The access point cannot be made.', cause, again);
  if (!facts.hasNetworkManager) return because('network_manager', 'NetworkManager does not run on this machine.');
  if (facts.wirelessInterfaces.length === 0) return because('interface', 'This machine has no wireless interface.');
  const bytes = new TextEncoder().encode(accessPoint.name).length;
  if (bytes < 1 || bytes > 32 || /\p{Cc}/u.test(accessPoint.name))
    return because('name', 'Its name must have 1 to 32 bytes.');
  const { passphrase } = accessPoint;
  if (passphrase !== undefined && !/^[ -~]{8,63}$/.test(passphrase))
    return because('passphrase', 'Its passphrase must have 8 to 63 characters (letters, digits, punctuation).');
  if (passphrase === undefined && facts.ownFiles[ownPaths.accessPoint] === undefined)
    return because('passphrase', 'It has no passphrase yet.');
  return undefined;
}
