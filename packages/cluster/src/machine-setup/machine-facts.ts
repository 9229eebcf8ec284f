import type { Hat } from '@lcs/hardware';
import type { BoardPart, LeaderAnswer, OutputDrives } from './machine-ports.ts';
import type { FoundLeader } from './mdns.ts';
import { ownPaths } from './own-files.ts';
import type { Throttling } from './throttling.ts';

/** What a machine serves as. */
export const machineRoles = ['leader', 'unit', 'both'] as const;
export type MachineRole = (typeof machineRoles)[number];

export const roleHas = (role: MachineRole | undefined, service: 'leader' | 'unit'): boolean =>
  role === service || role === 'both';

/** Services of this program. */
export const ownServices = ['lcs-leader', 'lcs-unit', 'lcs-firmware'] as const;
export type OwnService = (typeof ownServices)[number];

/** A service, as the service manager shows it. */
export interface ServiceFacts {
  readonly isInstalled: boolean;
  readonly isEnabled: boolean;
  /** `active`, `activating`, `failed`, … */
  readonly state: string;
  readonly restarts: number;
  /** Of its main process; undefined: it has none, or this account may not see it. */
  readonly processArguments: readonly string[] | undefined;
}

/** The newest result of the unit's enrolment, from its log. */
export type EnrolmentFacts =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'enrolled'; readonly leader: string }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** The options file of a service. */
export interface OptionsFile {
  readonly text: string;
  /** Undefined: it does not set the variable. */
  readonly words: readonly string[] | undefined;
}

export interface DiskFacts {
  readonly availableBytes: number;
  readonly totalBytes: number;
  readonly isReadOnly: boolean;
  /** Faults that the file system has recorded since it was made (ext4). */
  readonly recordedErrors: number | undefined;
  /** Share of its life that an eMMC has used, in percent, rounded up to tens; cards do not tell it. */
  readonly usedLifePercent: number | undefined;
}

/** A file on a disk that fails, or a program that does not end. */
export interface UnreadFact {
  readonly kind: 'file' | 'program';
  readonly name: string;
  readonly reason: string;
}

/** Everything that is known about a machine, as it was read. */
export interface MachineFacts {
  /** What could not be read, and counts as absent. */
  readonly unread: readonly UnreadFact[];
  readonly isRoot: boolean;
  readonly programVersion: string;
  /** `Raspberry Pi 4 Model B Rev 1.5`; undefined: another computer. */
  readonly computer: string | undefined;
  readonly system: string;
  readonly kernel: string;
  readonly hostName: string;

  readonly board: Hat | undefined;
  readonly parts: readonly BoardPart[] | undefined;
  /** A character of its text is one byte. */
  readonly configTxt: { readonly path: string; readonly text: string; readonly isNewerThanStart: boolean } | undefined;
  readonly overlayFiles: readonly string[];
  /** What `lcs-outputs` needs on this computer. A character of its texts is one byte. */
  readonly outputsOverlay: {
    /** The file of the package; undefined: there is none. */
    readonly packaged: string | undefined;
    /** The file beside `config.txt`. */
    readonly installed: string | undefined;
    /** Modules that this kernel does not have. */
    readonly missingModules: readonly string[];
    /** The unit's file with pins of its own. */
    readonly ownPins: string | undefined;
  };
  readonly isI2cLoadedAtStart: boolean;
  readonly hasI2cDevice: boolean;
  readonly hasI2cAdapter: boolean;
  readonly gpioTools: string | undefined;
  /** Undefined: the board is simulated. */
  readonly outputDrives: OutputDrives | undefined;
  /** Files of the board that the groups of the service may not write. */
  readonly forbiddenDevices: readonly string[];
  readonly groups: readonly string[];
  readonly hasServiceUser: boolean;
  readonly hasWatchdogDevice: boolean;
  readonly throttling: Throttling | undefined;
  readonly socCelsius: number | undefined;

  readonly services: Readonly<Record<OwnService, ServiceFacts>>;
  /** Running or enabled services of another program that drives the same board. */
  readonly otherServices: readonly string[];
  readonly leaderOptions: OptionsFile | undefined;
  readonly unitOptions: OptionsFile | undefined;
  /** Options files that are there, and that this account may not read. */
  readonly unreadableOptions: readonly string[];
  /** SHA-256 of the certificate authority of the leader on this machine. */
  readonly authorityFingerprint: string | undefined;
  readonly announcement: string | undefined;
  /** The leader that this unit belongs to, from its own file. */
  readonly boundLeader: string | undefined;
  /** Undefined: it has proved none, or the unit has no leader. */
  readonly boundLeaderKey: string | undefined;
  readonly enrolment: EnrolmentFacts;
  /** Programs that listen on a port; '' where this account may not see which. */
  readonly listeners: ReadonlyMap<number, string>;

  readonly isClockSynchronised: boolean;
  readonly hasMdnsDaemon: boolean;
  readonly resolvesMdns: boolean;
  /** Undefined: avahi-browse is not installed, or was not asked. */
  readonly leaders: readonly FoundLeader[] | undefined;
  readonly leaderAnswer: LeaderAnswer | undefined;
  readonly hasNetworkManager: boolean;
  readonly wirelessInterfaces: readonly string[];
  /** Wireless interfaces that pause their radio; undefined: `iw` is not installed, or fails. */
  readonly powerSaving: readonly string[] | undefined;
  /** Whether NetworkManager has read its files after `ownPaths.wifiPower` was written; undefined: unknown. */
  readonly hasLoadedWifiPower: boolean | undefined;
  /** The name in the file of the access point. */
  readonly accessPoint: string | undefined;
  /** Undefined: `nmcli` is not installed, or fails. */
  readonly activeConnections: readonly string[] | undefined;

  readonly disk: DiskFacts | undefined;
  readonly memoryBytes: number | undefined;
  readonly availableMemoryBytes: number | undefined;
  readonly journalBytes: number | undefined;
  /** Undefined or 0: the computer's watchdog is off. */
  readonly runtimeWatchdogS: number | undefined;
  /** Texts of files that setup writes as a whole, by path. */
  readonly ownFiles: Readonly<Record<string, string | undefined>>;
}

/** Whether nothing is known about the services. */
export const isManagerSilent = ({ unread }: Pick<MachineFacts, 'unread'>): boolean =>
  unread.some(({ kind, name }) => kind === 'program' && name === 'systemctl');

/** The role that the machine has now; undefined: none. A leader's service is ready from its installation on. */
export function roleOf({
  services,
  leaderOptions,
  unitOptions,
  unreadableOptions,
  unread,
}: Pick<MachineFacts, 'services' | 'leaderOptions' | 'unitOptions' | 'unreadableOptions' | 'unread'>):
  | MachineRole
  | undefined {
  // Without the service manager, the options of a service show that it is there.
  const isSilent = isManagerSilent({ unread });
  const isLeader = isSilent
    ? leaderOptions !== undefined
    : services['lcs-leader'].isInstalled && services['lcs-leader'].isEnabled;
  const isUnit =
    (isSilent || services['lcs-unit'].isInstalled) &&
    (unitOptions?.words !== undefined || unreadableOptions.includes(ownPaths.unitOptions));
  if (isLeader) return isUnit ? 'both' : 'leader';
  return isUnit ? 'unit' : undefined;
}
