import {
  type Cancel,
  type Clock,
  type CrashAt,
  createLog,
  errnoOf,
  type Log,
  prettyDestination,
  realClock,
  reasonOf,
  type Service,
  standardError,
  UncleanStop,
} from '@lcs/platform';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

export interface NodeOutput {
  readonly json?: true;
  readonly verbose?: true;
}

/** For people at a terminal the log is short and readable, for everything else it is JSON. */
export function nodeLog(io: ProgramIo, { json, verbose }: NodeOutput): Log {
  const forPeople = !json && io.stderr.isTTY === true;
  return createLog({
    level: verbose ? 'debug' : forPeople ? 'warn' : 'info',
    destination: forPeople ? prettyDestination(io.stderr, { colour: true }) : standardError(),
  });
}

/**
 * Crash tests name a point and how often it is passed before the process ends itself: `write.before_commit:12`; with `:exit`
 * behind it only the thread of the writer ends.
 */
export function readCrashPoint(io: ProgramIo): CrashAt | undefined {
  const [point, hits = '1', how] = (io.environment.LCS_CRASH_AT ?? '').split(':');
  return point ? { point, afterHits: Number(hits), how: how === 'exit' ? 'exit' : 'kill' } : undefined;
}

/** A node that reports when it cannot continue. */
interface FailingNode extends Service {
  /** Rejects with the reason where the log has none. */
  readonly failed: Promise<void>;
  /** How long the guard of its outputs has not answered, for nodes with outputs; defined after the start. */
  readonly guardSilentMs?: number;
}

/** Within this time a second signal is the same Ctrl-C: the terminal sends it, and a parent program may forward it. */
const repeatedSignalMs = 1_000;
/** Of the time after which the service manager restarts a silent service. */
const signsOfLife = 3;
/** The exit code of shells after Ctrl-C. */
const interrupted = 130;

/**
 * Starts a node, announces it, and stops it at a signal to end. At a second signal the process ends at once:
 * confirmed data is on disk, and the guard switches the outputs off.
 */
export async function runNode(
  io: Pick<ProgramIo, 'onSignal' | 'exit' | 'serviceManager'>,
  node: FailingNode,
  what: string,
  announce: () => void,
  wire: Pick<Clock, 'monotonic' | 'every'> = realClock(),
): Promise<void> {
  const starting = new AbortController();
  const ended = new Promise<void>((end) => {
    let firstSignalMs: number | undefined;
    const onEndSignal = () => {
      const nowMs = wire.monotonic();
      firstSignalMs ??= nowMs;
      if (nowMs - firstSignalMs >= repeatedSignalMs) io.exit(interrupted);
      starting.abort();
      end();
    };
    io.onSignal('SIGINT', onEndSignal);
    io.onSignal('SIGTERM', onEndSignal);
  });
  try {
    await node.start(starting.signal);
  } catch (error) {
    // A signal during the start: the started parts are stopped; that is not a failure.
    if (starting.signal.aborted && error === starting.signal.reason) return;
    if (starting.signal.aborted && error instanceof UncleanStop) throw uncleanStopFailure(what);
    throw fileFailure(error, what) ?? error;
  }
  announce();
  const stopSigns = giveSignsOfLife(io.serviceManager, node, wire);
  const reason = await Promise.race([
    ended.then(() => 'signalled' as const),
    node.failed.then(
      () => 'failed' as const,
      (error: unknown) => ({ error }),
    ),
  ]);
  stopSigns();
  io.serviceManager?.send('STOPPING=1');
  const isClean = await stopsCleanly(node);
  if (typeof reason === 'object') throw fileFailure(reason.error, what) ?? reason.error;
  if (reason === 'failed') {
    throw new CommandFailure(
      {
        error: `The ${what} had to stop.`,
        cause: 'It has lost its store; no confirmed data is lost.',
        remediation: 'Read the reason in the log above, then start it again.',
      },
      { endsProcess: !isClean },
    );
  }
  if (!isClean) throw uncleanStopFailure(what);
}

/**
 * Reports to the service manager that the node is ready, and from then on that it lives: the event loop runs, and the guard of the
 * outputs answers. A node whose guard stays away longer than the manager waits is restarted, with its outputs off.
 */
function giveSignsOfLife(manager: ProgramIo['serviceManager'], node: FailingNode, wire: Pick<Clock, 'every'>): Cancel {
  manager?.send('READY=1');
  const everyMs = (manager?.watchdogMs ?? 0) / signsOfLife;
  if (manager === undefined || everyMs === 0) return () => {};
  return wire.every(everyMs, () => {
    if ((node.guardSilentMs ?? 0) <= everyMs) manager.send('READY=1\nWATCHDOG=1');
  });
}

/** The operator must correct a file or folder that the operating system refuses; it is not a defect of the program. */
function fileFailure(error: unknown, what: string): CommandFailure | undefined {
  if (errnoOf(error) === undefined || !(error instanceof Error && 'path' in error)) return undefined;
  return new CommandFailure({
    error: `The ${what} cannot start.`,
    cause: `${error.path} cannot be used: ${reasonOf(error)}.`,
    remediation: 'Correct that, then start it again.',
  });
}

/** Whether all parts of the node stopped in time. The log names the others. */
async function stopsCleanly(node: Service): Promise<boolean> {
  try {
    await node.stop();
    return true;
  } catch (error) {
    if (error instanceof UncleanStop) return false;
    throw error;
  }
}

const uncleanStopFailure = (what: string): CommandFailure =>
  new CommandFailure(
    {
      error: `The ${what} ended before all of it had stopped.`,
      cause: 'The log above names the parts that did not stop.',
      remediation: 'Confirmed data is on disk, and the outputs are off. Start it again.',
    },
    { endsProcess: true },
  );
