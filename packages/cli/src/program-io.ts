/** What the program may touch of the process it runs in; tests pass their own. */
export interface ProgramIo {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where a leader keeps its data when nobody says. */
  readonly defaultDataFolder: string;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  /** Lines that a person, or a program, types; absent: nobody can answer a question. Asked for once at most. */
  readonly typed?: () => AsyncIterable<string>;
  /** Calls `action` when the process is asked to end (`SIGPIPE`: nobody reads any more what it writes). */
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGPIPE', action: () => void): void;
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

  /** Something still runs that would keep the process from ending: it ends once the message has been shown. */
  readonly endsProcess: boolean;

  constructor(report: CommandFailure['report'], { endsProcess = false } = {}) {
    super(report.error);
    this.name = 'CommandFailure';
    this.report = report;
    this.endsProcess = endsProcess;
  }
}
