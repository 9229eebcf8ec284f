import { type ChildProcess, spawn } from 'node:child_process';
import { errnoOf } from '@lcs/platform';

/** Messages of sd_notify(3) that a node sends. */
export type ServiceMessage = 'READY=1' | 'STOPPING=1' | 'READY=1\nWATCHDOG=1';

/**
 * The service manager that has started this process as a service of `Type=notify`. Its socket is of a kind that Node has not:
 * a small program passes each line on (`lcs-notify` of the Debian package, named by `LCS_NOTIFY`).
 */
export class ServiceManager {
  /** It restarts a service that gives no sign of life for so long; undefined: it does not watch. */
  readonly watchdogMs: number | undefined;
  readonly #program: string;
  #child: ChildProcess | undefined;

  private constructor(program: string, watchdogMs: number | undefined) {
    this.#program = program;
    this.watchdogMs = watchdogMs;
  }

  /** Undefined where nobody waits for messages: at a terminal, or in a service of another type. */
  static of({ NOTIFY_SOCKET, LCS_NOTIFY, WATCHDOG_USEC }: ServiceEnvironment): ServiceManager | undefined {
    if (NOTIFY_SOCKET === undefined || LCS_NOTIFY === undefined) return undefined;
    const watchdogMs = Number(WATCHDOG_USEC) / 1000;
    return new ServiceManager(LCS_NOTIFY, watchdogMs > 0 ? watchdogMs : undefined);
  }

  /** It may not arrive: a sign of life repeats that the service is ready, so that nothing depends on one message. */
  send(message: ServiceMessage): void {
    this.#child ??= this.#start();
    this.#child?.stdin?.write(`${message}\n`);
  }

  /** Undefined when it cannot be started now, for example without a free file; the next message tries again. */
  #start(): ChildProcess | undefined {
    let child: ChildProcess;
    try {
      child = spawn(this.#program, { stdio: ['pipe', 'ignore', 'inherit'] });
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
    const lost = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.on('error', lost);
    child.on('exit', lost);
    // Node gives it no input when there was no free file.
    child.stdin?.on('error', lost);
    // It must not keep a stopped node alive; the end of its input ends it.
    child.unref();
    return child;
  }
}

type ServiceEnvironment = Readonly<
  Partial<Record<'NOTIFY_SOCKET' | 'LCS_NOTIFY' | 'WATCHDOG_USEC', string | undefined>>
>;
