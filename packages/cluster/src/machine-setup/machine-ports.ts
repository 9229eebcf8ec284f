import type { BoardVersion, findOutputDrives, Hat } from '@lcs/hardware';
import type { CommandResult } from '@lcs/node';
import type { PublicKeyText } from '@lcs/platform';

/** Default: `utf8`. In `latin1` a character is a byte: what is in another encoding stays as it is. */
export type FileEncoding = 'utf8' | 'latin1';

/** The group of a file, and its mode (stat(2)). */
interface FileRights {
  readonly groupId: number;
  readonly mode: number;
}

/** How the kernel drives the PWM outputs. */
export type OutputDrives = Awaited<ReturnType<typeof findOutputDrives>>;

/** Files of the machine, by their absolute paths; tests have them below another root. */
export interface MachineFiles {
  /** Undefined: there is no such file, or this account may not read it. */
  read(path: string, encoding?: FileEncoding): Promise<string | undefined>;
  /** Empty: there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** When it was changed last; undefined: there is no such file. */
  changedMs(path: string): Promise<number | undefined>;
  /** Undefined: there is no such file. */
  rights(path: string): Promise<FileRights | undefined>;
  /** Replaces the file as a whole. @throws the error of the file system */
  write(path: string, text: string, mode: number, encoding?: FileEncoding): Promise<void>;
  /** A file that is not there is no fault. @throws the error of the file system */
  remove(path: string): Promise<void>;
}

/**
 * Runs a program of the machine without a shell; the exit code of one that is not installed is 127, as that of a shell. One that was
 * ended has another code, and the reason in the first line of its errors.
 *
 * @param limitMs default: `readLimitMs`
 */
export type RunTool = (program: string, args: readonly string[], limitMs?: number) => Promise<CommandResult>;

/** Chosen: a program that only reads needs a second on a slow computer. */
export const readLimitMs = 10_000;
/** A start of a leader that converts a database takes minutes (TimeoutStartSec of its service). */
export const changeLimitMs = 900_000;

/** A part of the board, and why it does not respond; undefined: it does. */
export interface BoardPart {
  readonly name: string;
  readonly silence: string | undefined;
}

/** A leader at an address, without signing in there. */
export type LeaderAnswer =
  | {
      readonly kind: 'answered';
      readonly name: string;
      /** That of its machine, which it has proved; undefined: without TLS. */
      readonly key: PublicKeyText | undefined;
    }
  | { readonly kind: 'silent'; readonly reason: string };

export interface MachinePorts {
  readonly files: MachineFiles;
  readonly run: RunTool;
  readonly askLeader: (url: string) => Promise<LeaderAnswer>;
  /** The board on the header, from its EEPROM. */
  readonly findBoard: () => Promise<Hat | undefined>;
  readonly findOutputDrives: () => Promise<OutputDrives>;
  /** The project's own check of the board: no reading is taken from a job, no output moves. */
  readonly surveyBoard: (version: BoardVersion, dataFolder: string) => Promise<readonly BoardPart[]>;
  /** Whether this account is root. */
  readonly isRoot: boolean;
}

/** Exit codes as those of a shell and of timeout(1). */
export const notInstalled = 127;
export const notExecutable = 126;
export const ended = 124;
