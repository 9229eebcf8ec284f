import type { ServiceManager } from './service-manager.ts';

/** The parts of the process that the program uses; tests pass their own. */
export interface ProgramIo {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default data folder of a leader. */
  readonly defaultDataFolder: string;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  /** Lines that a person, or a program, types; absent: no input. Called once at most. */
  readonly input?: () => AsyncIterable<string>;
  /** Prompts for a line that the terminal does not show; absent: no terminal. */
  readonly hiddenInput?: (prompt: string) => Promise<string>;
  /** Asks a person at the terminal for a line; absent: no terminal. */
  readonly ask?: (prompt: string) => Promise<string>;
  /** Whether this account is root. */
  readonly isRoot?: boolean;
  /** Calls `action` at a signal to end (`SIGPIPE`: the reader of its output has ended). */
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGPIPE', action: () => void): void;
  /** Of a process that is a service; absent: nobody waits for messages. */
  readonly serviceManager?: Pick<ServiceManager, 'watchdogMs' | 'send'> | undefined;
  /** Ends the process at once, whatever it is doing. */
  exit(code: number): void;
}

/** Ends a command with an exit code after its message has been shown. */
export class CommandFailure extends Error {
  readonly report: {
    readonly error: string;
    readonly cause: string;
    readonly remediation: string;
    readonly status?: number;
  };

  /** Work still runs that would keep the process alive: it ends after the message. */
  readonly endsProcess: boolean;

  constructor(report: CommandFailure['report'], { endsProcess = false } = {}) {
    super(report.error);
    this.name = 'CommandFailure';
    this.report = report;
    this.endsProcess = endsProcess;
  }
}
